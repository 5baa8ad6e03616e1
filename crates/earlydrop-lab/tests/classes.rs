//! Classes that switches pause each alone, by the fields of a scenario.

use earlydrop_lab::plan::{Plan, Source, TraceFiles};

/// Two leaves with pauses, `network` among their fields, under a scheme.
fn plan(network: &str, scheme: &str) -> Result<Plan, String> {
    let text = format!(
        "duration = \"5 ms\"\nseeds = 1\nschemes = [\"{scheme}\"]\ntcp = \"dcqcn\"\n\
         [network]\nshape = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2\nrate = \"10 Gbps\"\n\
         buffer = \"1 MB\"\n{network}\n\
         [flows.a]\nfrom = \"host 0\"\nto = \"host 2\"\nclass = 3\nack_class = 6\n"
    );
    let source = Source::new("classes.toml", &text, TraceFiles::default());
    let plan = source.and_then(|source| source.plan());
    plan.map_err(|problems| format!("{problems:?}"))
}

const BY_CLASS: &str = "drr:by=class,queues=8,strict=2,inner=red,inner.as=dcqcn";

#[test]
fn a_scheme_that_does_not_tell_classes_apart_is_refused_with_one_that_does() {
    let pauses = "pause = \"20 kB\"\npause_classes = \"3\"";
    for (scheme, nearest) in [
        ("red", "drr:by=class,queues=8,inner=red"),
        ("fq-codel", "drr:by=class,queues=8"),
        ("drr:by=class,queues=2", "drr:by=class,queues=8"),
        ("fq-red:by=class,queues=8", "drr:by=class,queues=8"),
    ] {
        let found = plan(pauses, scheme).unwrap_err();
        assert!(found.contains(nearest), "{nearest} in {found}");
        plan(pauses, nearest).unwrap();
    }
    plan(pauses, BY_CLASS).unwrap();
    plan("pause = \"20 kB\"", "red").unwrap();
}

#[test]
fn classes_are_numbers_up_to_seven_and_need_pauses() {
    for (network, said) in [
        ("pause = \"20 kB\"\npause_classes = \"8\"", "nearest: \\\"7"),
        (
            "pause = \"20 kB\"\npause_classes = \"3-4\"",
            "nearest: \\\"3 4",
        ),
        ("pause_classes = \"3\"", "`pause_classes` without `pause`"),
        ("resume = \"3 kB\"", "`resume` without `pause`"),
    ] {
        let found = plan(network, BY_CLASS).unwrap_err();
        assert!(found.contains(said), "{said} in {found}");
    }
}

#[test]
fn a_class_that_nobody_sends_is_warned_of() {
    let warnings = |classes: &str| {
        let network = format!("pause = \"20 kB\"\npause_classes = \"{classes}\"");
        format!("{:?}", plan(&network, BY_CLASS).unwrap().warnings())
    };
    assert!(warnings("5").contains("has class 5"), "{}", warnings("5"));
    assert!(
        !warnings("3, 6").contains("has class"),
        "{}",
        warnings("3, 6")
    );
}

/// Each class may have its XOFF and its headroom at a port.
#[test]
fn the_room_for_pauses_counts_each_class() {
    let warning = |classes: &str| {
        let network = format!("pause = \"300 kB\"\npause_classes = \"{classes}\"");
        format!("{:?}", plan(&network, BY_CLASS).unwrap().warnings())
    };
    // Four links lead to a leaf: 1.2 MB and headroom for one class, twice as much for two.
    let (one, two) = (warning("3"), warning("3 4"));
    assert!(one.contains("and of each `pause` (300 kB)"), "{one}");
    assert!(two.contains("of each and of each of 2 classes"), "{two}");
    let few = "pause = \"20 kB\"\npause_classes = \"3 4\"";
    let warnings = plan(few, BY_CLASS).unwrap().warnings();
    assert!(!format!("{warnings:?}").contains("pauses"), "{warnings:?}");
}
