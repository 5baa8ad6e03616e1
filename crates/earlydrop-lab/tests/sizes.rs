//! Sizes of transfers that TCP cannot number are refused with the largest.

use earlydrop_lab::plan::{Source, TraceFiles};

fn problem(flows: &str) -> Option<String> {
    let text =
        format!("duration = \"10 s\"\nseeds = 1\nschemes = [\"droptail\"]\n[flows.a]\n{flows}");
    let source = Source::new("sizes.toml", &text, TraceFiles::default());
    let plan = source.and_then(|source| source.plan());
    plan.err().map(|problems| problems.to_string())
}

#[test]
fn transfers_of_more_segments_than_can_be_numbered_are_refused() {
    // Segments of 1,448 bytes of payload, and of 1: 2^31 of them are the largest transfer.
    let tiny = "tcp = { segment = \"41 bytes\", header = \"40 bytes\" }";
    for (flows, largest) in [
        (
            "kind = \"transfer\"\nsize = \"6219112789408 bytes\"",
            "3109556322304",
        ),
        ("kind = \"web\"\nsize = \"1e15 GB\"", "3109556322304"),
        (
            &format!("kind = \"transfer\"\nsize = \"4294967297 bytes\"\n{tiny}"),
            "2147483648",
        ),
        (
            &format!("kind = \"pages\"\nsize = \"3 GB\"\n{tiny}"),
            "2147483648",
        ),
        (
            &format!("kind = \"arrivals\"\nsize = \"3000000000 packets\"\n{tiny}"),
            "2147483648",
        ),
        (
            &format!("kind = \"requests\"\nsize = \"pareto(1.5) 2147483649 bytes\"\n{tiny}"),
            "pareto(1.5) 2147483648",
        ),
    ] {
        let refused = problem(flows).unwrap_or_else(|| panic!("{flows}: accepted"));
        assert!(refused.contains("sizes.toml:"), "{flows}: {refused}");
        let nearest = format!("nearest: size = \"{largest} bytes\"");
        assert!(refused.contains(&nearest), "{flows}: {refused}");
        // It is accepted, unless something else is wrong.
        let size = flows.lines().find(|line| line.starts_with("size")).unwrap();
        let repaired = flows.replace(size, &nearest["nearest: ".len()..]);
        assert_eq!(problem(&repaired), None, "{repaired}");
    }
}
