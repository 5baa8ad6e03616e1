//! The panels of time series: which series share an axis, and in which colours.
//!
//! A quantity has one colour wherever it is drawn: the queue that of colour 0, its average that of
//! colour 1, and so on.

use serde::Serialize;

use super::data::Data;
use crate::words::capital;

/// An axis that some time series share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// The axis's title with its unit: "Packets", "Time (ms)".
    pub title: String,
    /// The factor from the series's values to the axis's unit.
    pub scale: f64,
    /// Where a step is drawn: "start" for counts, which cover the time before their sample, "end"
    /// for states, which hold after it; `None` for curves.
    pub steps: Option<&'static str>,
}

/// The place of a time series: its panel, and the index of its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The index of the panel.
    pub panel: usize,
    /// The index of the colour.
    pub look: usize,
}

/// The panels of a page from top to bottom, and the place of each of its series.
pub fn panels(data: &Data) -> (Vec<Panel>, Vec<Place>) {
    let kinds: Vec<Kind> = data
        .series
        .iter()
        .map(|series| Kind::of(&series.name, &series.meaning))
        .collect();
    let mut found: Vec<(usize, &Panel)> =
        kinds.iter().map(|kind| (kind.order, &kind.panel)).collect();
    found.sort_by(|one, other| (one.0, &one.1.title).cmp(&(other.0, &other.1.title)));
    found.dedup();
    let index = |panel: &Panel| found.iter().position(|(_, other)| *other == panel);
    let places = kinds.iter().map(|kind| Place {
        panel: index(&kind.panel).unwrap_or(0),
        look: kind.look,
    });
    let places = places.collect();
    (
        found.into_iter().map(|(_, panel)| panel.clone()).collect(),
        places,
    )
}

/// What is known of a series by its name and its definition.
struct Kind {
    /// The panel's place from top to bottom.
    order: usize,
    panel: Panel,
    look: usize,
}

/// The colour of what is neither of the known quantities.
const PLAIN: usize = 6;

impl Kind {
    fn of(name: &str, meaning: &str) -> Kind {
        let kind = |order, title: &str, scale, steps| Kind {
            order,
            panel: Panel {
                title: title.to_string(),
                scale,
                steps,
            },
            look: look(name),
        };
        let has = |text: &str| meaning.contains(text);
        let first = name.split(' ').next().unwrap_or_default();
        match name {
            "drops" | "marks" => kind(2, "Packets per interval", 1.0, Some("start")),
            "window" => kind(3, "cwnd (segments)", 1.0, None),
            "queue" | "average" => kind(0, "Packets", 1.0, None),
            _ if first == "packet" => kind(7, "Rate (packets/s)", 1.0, None),
            _ if first == "arrivals" || first == "departures" => kind(6, "Rate (Mbps)", 1e-6, None),
            _ if has("1 while") || has("1 in the") => kind(8, "State", 1.0, Some("end")),
            _ if is_time(meaning) => kind(4, "Time (ms)", 1e3, None),
            _ if has("in bytes") || meaning.starts_with("bytes") => kind(5, "kB", 1e-3, None),
            _ if is_probability(name, meaning) => kind(1, "Probability", 1.0, None),
            _ if has("in packets") || meaning.starts_with("packets in") => {
                kind(0, "Packets", 1.0, None)
            }
            "count" | "flows" | "active" => kind(9, "Count", 1.0, Some("end")),
            // A quantity that shares its unit with nothing has a panel of its own.
            other => kind(10, &capital(other), 1.0, None),
        }
    }
}

/// Whether the definition says "in s" or "in seconds".
fn is_time(meaning: &str) -> bool {
    let letters = |word: &str| {
        word.trim_matches(|letter: char| !letter.is_alphabetic())
            .to_string()
    };
    let words: Vec<String> = meaning.split_whitespace().map(letters).collect();
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[0] == "in" && ["s", "seconds"].contains(&pair[1].as_str()))
}

fn is_probability(name: &str, meaning: &str) -> bool {
    let names = [
        "p",
        "probability",
        "pa",
        "pb",
        "max_p",
        "base",
        "hits",
        "pb_least",
    ];
    names.contains(&name) || name.starts_with("p_c") || meaning.contains("probabilit")
}

/// The index of the colour of a quantity.
fn look(name: &str) -> usize {
    match name {
        "queue" | "sojourn" | "delay" | "qdelay" | "l_packets" => 0,
        "average" | "c_packets" => 1,
        "pb" | "p" | "probability" | "p_c" => 2,
        "drops" | "pa" => 3,
        "marks" | "max_p" | "p_cl" => 4,
        "window" | "pb_least" | "mean_probability" | "base" => 5,
        _ => PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use earlydrop::registry::SCHEMES;

    use super::super::data::Series;
    use super::*;

    fn series(name: &str, meaning: &str) -> Series {
        Series {
            scheme: 0,
            point: 0,
            seed: 1,
            source: String::new(),
            name: name.to_string(),
            meaning: meaning.to_string(),
            interval: 0.1,
            values: vec![1.0],
        }
    }

    /// The title of the panel of a series, and its colour.
    fn place(name: &str, meaning: &str) -> (String, usize) {
        let data = Data {
            series: vec![series(name, meaning)],
            ..Data::default()
        };
        let (panels, places) = panels(&data);
        (panels[places[0].panel].title.clone(), places[0].look)
    }

    #[test]
    fn queue_and_average_have_their_colours_in_one_panel() {
        assert_eq!(place("queue", "in packets"), ("Packets".to_string(), 0));
        let bytes = "the average queue, in packets (bytes with unit=bytes)";
        assert_eq!(place("average", bytes), ("Packets".to_string(), 1));
        assert_eq!(place("sojourn", "of the last packet, in s").0, "Time (ms)");
    }

    #[test]
    fn every_probe_has_a_panel_that_says_what_it_is() {
        for scheme in SCHEMES {
            for probe in scheme.probes {
                let (title, _) = place(probe.name, probe.meaning);
                assert!(!title.is_empty() && title != "Other", "{}", probe.name);
                let seconds = ["in s", "in seconds"]
                    .iter()
                    .any(|end| probe.meaning.ends_with(end));
                assert_eq!(title == "Time (ms)", seconds, "{}: {title}", probe.meaning);
            }
        }
    }

    #[test]
    fn panels_are_in_a_fixed_order() {
        let data = Data {
            series: vec![
                series("drops", ""),
                series("price", "the price"),
                series("queue", ""),
                series("pb", ""),
            ],
            ..Data::default()
        };
        let (panels, places) = panels(&data);
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(
            titles,
            ["Packets", "Probability", "Packets per interval", "Price"]
        );
        assert_eq!(
            places.iter().map(|p| p.panel).collect::<Vec<_>>(),
            [2, 3, 0, 1]
        );
    }
}
