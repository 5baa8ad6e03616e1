//! Linux's ets: what the band gives in which a discipline stands. Options and defaults are those of
//! iproute2's `tc/q_ets.c` and the kernel's `net/sched/sch_ets.c`.

use super::ParseError;
use super::ledger::unknown;
use super::tc_line::{Options, QdiscLine};
use super::token::{Token, digits};

/// The quantum of a band that is given none, in bytes: the MTU of Ethernet with its header.
const USUAL_QUANTUM: f64 = 1514.0;

/// An ets and its bands.
pub(super) struct Ets<'a> {
    device: Option<&'a str>,
    handle: Option<&'a str>,
    kind: Token<'a>,
    strict: usize,
    /// The bytes a turn of each band that is not strict.
    quanta: Vec<(f64, Token<'a>)>,
}

/// What a band gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Band<'a> {
    /// Everything, before all bands of a higher number.
    Strict,
    /// A share of what strict bands leave, by quanta.
    Share(f64, Token<'a>),
}

const WORDS: [&str; 4] = ["bands", "strict", "quanta", "priomap"];

impl<'a> Ets<'a> {
    pub(super) fn of(line: &mut QdiscLine<'_, 'a>) -> Result<Ets<'a>, ParseError> {
        let (mut bands, mut strict) = (0, 0);
        let mut quanta: Vec<(f64, Token<'a>)> = Vec::new();
        let mut list = "";
        let (kind, device, handle) = (line.kind, line.device, line.handle);
        let mut options = Options::of(line);
        while let Some(word) = options.take() {
            match word.text {
                "bands" => bands = options.value(&word)?.count("bands", 1.0, 16.0)? as usize,
                "strict" => strict = options.value(&word)?.count("strict", 0.0, 16.0)? as usize,
                "quanta" | "priomap" => list = word.text,
                _ if list == "quanta" => quanta.push((word.count("quanta", 1.0, 4e9)?, word)),
                _ if list == "priomap" => drop(word.count("priomap", 0.0, 15.0)?),
                _ => return Err(unknown(&word, &WORDS)),
            }
        }
        let rest = bands.saturating_sub(strict + quanta.len());
        quanta.extend((0..rest).map(|_| (USUAL_QUANTUM, kind)));
        Ok(Ets {
            device,
            handle,
            kind,
            strict,
            quanta,
        })
    }

    /// The band of the class `parent`, such as 1:2, if it is one of this ets; an error if there are
    /// fewer bands.
    pub(super) fn band(&self, line: &QdiscLine<'_, 'a>) -> Result<Option<Band<'a>>, ParseError> {
        let major = |text: &'a str| text.split(':').next().unwrap_or_default();
        let (Some(parent), Some(handle)) = (line.parent, self.handle) else {
            return Ok(None);
        };
        let Some(minor) = parent.split(':').nth(1) else {
            return Ok(None);
        };
        if line.device != self.device || major(parent) != major(handle) {
            return Ok(None);
        }
        let number = usize::from_str_radix(minor, 16).unwrap_or(0);
        if (1..=self.strict).contains(&number) {
            return Ok(Some(Band::Strict));
        }
        let share = number.checked_sub(self.strict + 1);
        let Some((quantum, at)) = share.and_then(|index| self.quanta.get(index)) else {
            let count = self.strict + self.quanta.len();
            let message = format!("class {parent}: ets has {count} bands");
            return Err(self.kind.error(
                message,
                format!("nearest: parent {}:{count:x}", major(handle)),
            ));
        };
        let all: f64 = self.quanta.iter().map(|(quantum, _)| quantum).sum();
        Ok(Some(Band::Share(quantum / all, *at)))
    }
}

/// The band of ets in which each red stands, if it stands in one.
pub(super) fn bands<'a>(
    red: &[QdiscLine<'_, 'a>],
    others: &mut [QdiscLine<'_, 'a>],
) -> Result<Vec<Option<Band<'a>>>, ParseError> {
    let ets = others.iter_mut().filter(|line| line.kind.is("ets"));
    let ets = ets.map(Ets::of).collect::<Result<Vec<_>, _>>()?;
    let mut bands = vec![None; red.len()];
    for (line, band) in red.iter().zip(&mut bands) {
        for one in &ets {
            *band = band.or(one.band(line)?);
        }
    }
    Ok(bands)
}

/// " (strict)", " (60% of what strict bands leave)".
pub(super) fn in_words(band: Option<Band>) -> String {
    match band {
        None => String::new(),
        Some(Band::Strict) => " (strict)".to_string(),
        Some(Band::Share(share, _)) => {
            format!(
                " ({}% of what strict bands leave)",
                digits(100.0 * share, 3)
            )
        }
    }
}
