//! Invariants of other tools' configurations for arbitrary text, checked by tests with mangled
//! texts and by the fuzzers in `fuzz/`.

use earlydrop::registry::{Length, LinkFacts, Spec};
use earlydrop::units::BitsPerSec;

use crate::Load;
use crate::explain::{explain, fix};
use crate::tools::{
    Configuration, Context, ParseError, TOOLS, Tool, all_tools, detect, read, read_in,
    scheme_of_qdisc, sqm_egress, translate, word_for_word,
};

/// A text is refused with an error within it, or read as a tool's configuration, which can be
/// explained and written for a tool, which reads it again. The text chooses that tool: all of them
/// would take ten times as long.
pub fn configuration(text: &str) {
    let sum: usize = text.bytes().map(usize::from).sum();
    keeps_the_invariants(text, &TOOLS[sum % TOOLS.len()..][..1]);
}

/// Writes what was read for each of `targets`.
fn keeps_the_invariants(text: &str, targets: &[&'static Tool]) {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    if let Err(error) = detect(text) {
        is_within(text, &error);
    }
    // Percentages are of a buffer, which some tools ask for.
    let context = Context {
        buffer: text.len().is_multiple_of(2).then_some(Length::Seconds(0.2)),
        ..Context::default()
    };
    for tool in all_tools() {
        match read_in(text, Some(tool), &link, &context) {
            Ok(parsed) => can_be_used(&parsed, text, &link, targets),
            Err(error) => is_within(text, &error),
        }
    }
    is_scheme_or_refused(text);
    match sqm_egress(text) {
        Ok(egress) => is_scheme_or_refused(&egress.line),
        Err(error) => is_within(text, &error),
    }
}

/// A discipline of tc comes to a scheme that the registry reads.
fn is_scheme_or_refused(line: &str) {
    match scheme_of_qdisc(line) {
        Ok(scheme) => {
            let spec: Result<Spec, _> = scheme.parse();
            assert!(spec.is_ok(), "{scheme}: {spec:?} of {line:?}");
        }
        Err(error) => is_within(line, &error),
    }
}

fn is_within(text: &str, error: &ParseError) {
    assert!(
        text.get(error.span.clone()).is_some(),
        "{error:?} in {text:?}"
    );
    assert!(!error.message.is_empty(), "{error:?} in {text:?}");
}

fn can_be_used(parsed: &Configuration, text: &str, link: &LinkFacts, targets: &[&'static Tool]) {
    let load = Load {
        rate: link.rate,
        packet: link.mean_packet,
        ..Load::default()
    };
    if explain(parsed, text, &load).is_ok()
        && let Ok(fixed) = fix(parsed, text, &load)
    {
        let again = read_in(&fixed.text, Some(parsed.tool), link, &parsed.context);
        assert!(again.is_ok(), "{again:?} of {text:?}");
        assert!(fixed.prediction.queue.is_finite(), "{text:?}");
    }
    for tool in targets {
        for written in [
            translate(parsed, tool, link),
            word_for_word(parsed, tool, link),
        ] {
            match written {
                Ok(written) => is_read_again(&written.text, tool, link),
                // The values are outside the tool's range.
                Err(error) => assert!(!error.message.is_empty(), "{text:?} for {}", tool.name),
            }
        }
    }
}

/// What was written for a tool is recognised and read as the tool's own, and written in the same
/// way again.
fn is_read_again(written: &str, tool: &'static Tool, link: &LinkFacts) {
    let parsed = read(written, Some(tool), link)
        .unwrap_or_else(|error| panic!("{}: {error} in {written:?}", tool.name));
    let again = word_for_word(&parsed, tool, link)
        .unwrap_or_else(|error| panic!("{}: {error} from {written:?}", tool.name));
    assert!(again.text.len() < 1 << 20, "{}", tool.name);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts that have failed. Those of even length are read with a buffer that the caller states,
    /// within which a remedy of the last two must keep.
    const FAILED: [&str; 3] = [
        "c{interpolate fill-level [ 15 20 25 30 31 drop-probability [ 0 2 7 27 100 ",
        "{\"WRED_PROFILE\": {\"a\": {\"yellow_min_threshold\": \"0\",\n\"yellow_max_threshold\": \"150000\"}}}",
        "\"yellow_min_threshold\":00\"yellow_max_threshold\": \"150000",
    ];

    /// A configuration of each tool, the tables' examples, and those that have failed.
    fn texts() -> Vec<String> {
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        let native = "gred:min=10,max=30,ecn=on,limit=100 packets";
        let native = read(native, None, &link).expect("a configuration");
        let written = TOOLS
            .iter()
            .map(|tool| translate(&native, tool, &link).expect(tool.name).text);
        let examples = examples().into_iter();
        written
            .chain(examples)
            .chain(FAILED.map(str::to_string))
            .collect()
    }

    /// The texts of the tables in `tests/dialects`.
    fn examples() -> Vec<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dialects");
        let tables = std::fs::read_dir(folder).expect(folder);
        let mut texts = Vec::new();
        for table in tables {
            let table = std::fs::read_to_string(table.expect(folder).path()).expect(folder);
            let parts = table.split("\n## ").skip(1);
            let text = |part: &str| {
                part.split_once('\n')?
                    .1
                    .split_once("\n=> ")
                    .map(|one| one.0.to_string())
            };
            texts.extend(parts.filter_map(text));
        }
        assert!(texts.len() > 100, "{}", texts.len());
        texts
    }

    #[test]
    fn texts_that_are_whole_keep_the_invariants() {
        texts()
            .iter()
            .for_each(|text| keeps_the_invariants(text, TOOLS));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn mangled_texts_keep_the_invariants(
            mut text in prop::sample::select(texts()),
            cuts in prop::collection::vec(
                (any::<prop::sample::Index>(), "[0-9.%kmb \\n\\]}=]{0,3}"),
                1..4,
            ),
        ) {
            for (index, more) in cuts {
                let at = text.floor_char_boundary(index.index(text.len() + 1));
                let end = text.ceil_char_boundary((at + 2).min(text.len()));
                text.replace_range(at..end, &more);
            }
            keeps_the_invariants(&text, TOOLS);
        }
    }
}
