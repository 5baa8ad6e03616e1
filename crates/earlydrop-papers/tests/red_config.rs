//! The numbers in the texts about Chandrayana et al.'s calculations are those of the model.

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_model::batch::Batch;
use earlydrop_model::open_loop::{OpenLoop, OpenLoopInput, open_loop};
use earlydrop_model::{Load, Tcp};
use earlydrop_papers::catalogue::Catalogue;

/// What the page says of a figure that the paper does not print.
fn not_printed(figure: &str) -> String {
    let catalogue = Catalogue::read().unwrap();
    let figures = &catalogue.paper("red-config").unwrap().figures.figures;
    let figure = figures.iter().find(|known| known.id == figure);
    figure.unwrap().not_printed.clone()
}

/// The open loop with a round trip in seconds and a T_O in round trips.
fn solve(first: bool, rtt: f64, timeout: f64) -> OpenLoop {
    let (rate, flows, loss, buffer) = match first {
        true => (20_000_000, 48.0, 0.0572, 200.0),
        false => (66_667_000, 150.0, 0.0339, 1000.0),
    };
    let windows = match first {
        true => Batch::normal(4.0, 4.0, 8),
        false => Batch::normal(4.4, 4.0, 9),
    };
    let load = Load {
        rate: BitsPerSec(rate),
        packet: Bytes(1000),
        rtt: Nanos::from_secs_f64(rtt),
        flows,
        tcp: Tcp {
            timeout: Some(Nanos::from_secs_f64(timeout * rtt)),
            ..Tcp::default()
        },
    };
    let windows = Some(windows.unwrap());
    open_loop(&load, &OpenLoopInput { loss, windows }, buffer).unwrap()
}

fn assert_said(text: &str, words: &str) {
    assert!(text.contains(words), "{words} is not in {text}");
}

#[test]
fn the_first_mean_queue_follows_from_the_printed_inputs() {
    let text = not_printed("red-config.F4");
    let usual = solve(true, 0.052, 4.0);
    let said = format!(
        "give rho = {:.3} and E[Q] = {:.1};",
        usual.load, usual.queue
    );
    assert_said(&text, &said);
    let fitted = solve(true, 0.052, 4.046);
    let said = format!("they give {:.3} and {:.1}.", fitted.load, fitted.queue);
    assert_said(&text, &said);
    assert!((fitted.queue / 79.54 - 1.0).abs() < 1e-3);
    let more = format!("adds {:.0} packets", fitted.sensitivity / 100.0);
    assert_said(&text, &more);
}

#[test]
fn the_second_mean_queue_contradicts_the_printed_round_trip() {
    let text = not_printed("red-config.F5");
    let most = solve(false, 0.2, 0.0);
    let said = format!(
        "at most {:.3}, without any timeout, and E[Q] to {:.1}.",
        most.load, most.queue
    );
    assert_said(&text, &said);
    assert_said(&text, "the round trip must be 61 ms");
    let [below, above] = [0.0605, 0.0615].map(|rtt| solve(false, rtt, 4.0).queue);
    assert!(below > 592.01 && above < 592.01, "{below} {above}");
}

/// The printed numbers under a heading of a table, for a configuration.
fn printed(table: &str, under: &str, name: &str) -> Vec<f64> {
    let catalogue = Catalogue::read().unwrap();
    let figures = &catalogue.paper("red-config").unwrap().figures.figures;
    let figure = figures.iter().find(|figure| figure.id == table).unwrap();
    let mut columns = figure.panels[0].columns.iter();
    let column = columns.find(|one| one.under == under && one.name == name);
    let numbers = column.unwrap().printed.iter();
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// What the findings say that the tables have against the paper's own sentences.
#[test]
fn entries_against_the_papers_own_words_are_those_of_its_tables() {
    let catalogue = Catalogue::read().unwrap();
    let mut findings = catalogue.findings.iter();
    let finding = findings
        .find(|one| one.kind.name == "against itself")
        .unwrap();
    let text = finding.text.replace('\n', " ");
    let tables = ["red-config.T1", "red-config.T2"];
    let pairs = |under: &str| -> Vec<(f64, f64)> {
        let of_table = |table: &&str| {
            let [proposed, morris] = ["proposed", "Morris"].map(|name| printed(table, under, name));
            proposed.into_iter().zip(morris).collect::<Vec<_>>()
        };
        tables.iter().flat_map(of_table).collect()
    };
    let below: Vec<String> = pairs("goodput, packets/s")
        .iter()
        .map(|(proposed, morris)| format!("{:.2}", 100.0 * (1.0 - proposed / morris)))
        .collect();
    let (last, first) = below.split_last().unwrap();
    let said = format!("{} and {last}% below", first.join(", "));
    assert!(text.contains(&said), "{said} in {text}");
    let spreads = &pairs("spread of goodputs")[3..];
    assert!(spreads.iter().all(|(proposed, morris)| proposed > morris));
    let losses = &pairs("loss, %")[..3];
    let more: Vec<usize> = (0..3)
        .filter(|row| losses[*row].0 > losses[*row].1)
        .collect();
    assert_eq!(more, [2], "64 flows alone");
}
