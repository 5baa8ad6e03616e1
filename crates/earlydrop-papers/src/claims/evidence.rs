//! What comparisons show about their claim, one by one and as a family.

use std::fmt;

use super::comparisons::Comparison;
use earlydrop_lab::statistics::holm;

/// What a comparison shows about its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The mean lies where the claim says.
    Supports,
    /// It lies outside.
    Contradicts,
    /// There is no difference above the margin.
    Equal,
    /// The seeds do not tell.
    Open,
}

impl Evidence {
    /// Every kind, the best for a claim first.
    pub const ALL: [Evidence; 4] = [
        Evidence::Supports,
        Evidence::Contradicts,
        Evidence::Equal,
        Evidence::Open,
    ];
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Evidence::Supports => "supports",
            Evidence::Contradicts => "contradicts",
            Evidence::Equal => "equal",
            Evidence::Open => "open",
        })
    }
}

/// What each comparison shows when all of a claim are read together: at most one claim in twenty
/// has a comparison that supports or contradicts it by chance alone.
///
/// Where every single comparison supports the claim no correction is needed: that all of them do
/// is an intersection-union test, whose level is that of one comparison (R. L. Berger,
/// "Multiparameter hypothesis testing and acceptance sampling", *Technometrics* 24, 1982, 295-300).
/// Else distances from what is claimed are corrected for their number by Holm's procedure. That a
/// difference lies within its margin is decided for each by itself.
pub(super) fn of_family(comparisons: &[Comparison]) -> Vec<Evidence> {
    if comparisons.iter().all(Comparison::supports_claim) {
        return vec![Evidence::Supports; comparisons.len()];
    }
    let p_values = comparisons.iter().map(|one| one.p_value().unwrap_or(1.0));
    let differs = holm(&p_values.collect::<Vec<f64>>());
    let pairs = comparisons.iter().zip(differs);
    pairs
        .map(|(one, differs)| one.evidence_if(differs))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::claimed::Claimed;
    use super::*;

    fn comparison(mean: f64, spread: f64, margin: Option<f64>) -> Comparison {
        let by_seed = [-1.0, 0.0, 1.0, 0.5, -0.5].map(|x| mean + spread * x);
        Comparison {
            place: String::new(),
            by_seed: by_seed.into(),
            claimed: Claimed::above(0.0),
            margin,
        }
    }

    #[test]
    fn a_single_comparison_shows_one_of_four_things() {
        for (mean, spread, wanted) in [
            (0.2, 0.1, Evidence::Supports),
            (-0.2, 0.1, Evidence::Contradicts),
            (0.01, 0.02, Evidence::Equal),
            (0.01, 0.2, Evidence::Open),
        ] {
            let one = comparison(mean, spread, Some(0.05));
            assert_eq!(one.evidence(), wanted, "{mean} {spread}");
            assert_eq!(of_family(&[one]), [wanted]);
        }
        let without_margin = comparison(0.01, 0.02, None);
        assert_eq!(without_margin.evidence(), Evidence::Open);
    }

    #[test]
    fn a_difference_that_one_of_many_would_show_by_chance_is_open() {
        // Three standard errors from zero: p = 0.04.
        let barely = |sign: f64| comparison(sign * 1.06, 1.0, None);
        assert_eq!(barely(1.0).evidence(), Evidence::Supports);
        let nothing = comparison(0.0, 1.0, None);
        let family = [barely(1.0), barely(-1.0), nothing];
        assert_eq!(of_family(&family), [Evidence::Open; 3]);
        // All of a claim's comparisons by chance alone are another matter.
        let all = [barely(1.0), barely(1.0), barely(1.0)];
        assert_eq!(of_family(&all), [Evidence::Supports; 3]);
    }
}
