//! What a line of text makes: `cargo run --example check -- "red:as=linux,limit=500" "10 Mbps"`.
//!
//! Prints every parameter that matters, its value and where that comes from, or what
//! is wrong, with exit code 2.

use std::process::ExitCode;

use earlydrop::registry::{ConfigError, Link, Spec};
use earlydrop::units::BitsPerSec;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(text) = arguments.next() else {
        eprintln!("usage: check SCHEME[:parameter=value,...] [LINK RATE]");
        return ExitCode::from(2);
    };
    let rate = arguments.next().unwrap_or_else(|| "10 Mbps".into());
    let rate: BitsPerSec = match rate.parse() {
        Ok(rate) => rate,
        Err(error) => {
            eprintln!("link rate {rate} {error}");
            return ExitCode::from(2);
        }
    };
    match show(&text, &Link::at(rate)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn show(text: &str, link: &Link) -> Result<(), ConfigError> {
    let spec: Spec = text.parse()?;
    let plan = spec.plan(link)?;
    let settings = spec.settings(link)?;
    let scheme = spec.descriptor();
    println!("{}: {} ({})", scheme.name, scheme.summary, scheme.source);
    for (parameter, value) in settings.iter() {
        if settings.matters(parameter) {
            let (value, origin) = (value.to_string(), settings.origin_of(parameter));
            println!("  {:16} {value:14} {origin}", parameter.name);
        }
    }
    if let Some(curve) = plan.curve() {
        let (first, last) = (curve.first(), curve.last().min(4.0 * curve.shape().max));
        println!("drop curve, from {first:.1} to {last:.1}:");
        for step in 0..=8 {
            let avg = first + (last - first) * f64::from(step) / 8.0;
            let pb = curve.probability(avg);
            let bar = "#".repeat((60.0 * pb) as usize);
            println!("  {avg:8.1} {pb:7.4} {bar}");
        }
    }
    Ok(())
}
