//! Which colour, dashes and symbol each scheme has: the same ones in every picture of every report.

use super::marks::{COLOURS, DASHES};

/// Every built-in scheme. Its place, counted along the rows, is the index of its look: the column
/// is its colour, the row its dashes, and the symbol is another one in each row. Schemes that are
/// often compared stand in different columns.
const SCHEMES: [[&str; COLOURS.len()]; DASHES.len()] = [
    // Blue, orange, teal, purple, ochre, light blue, nearly black.
    [
        "codel", "red", "pie", "fq-codel", "ared", "dualpi2", "droptail",
    ],
    ["nlred", "cake", "clred", "rared", "choke", "sfred", "rem"],
    ["step", "fred", "tred", "mred", "pi2", "cobalt", "sfq"],
    ["blue", "sfb", "fq-pie", "feng", "gred", "dsred", "drr"],
    [
        "smred",
        "ired",
        "restraint",
        "red-ql",
        "fq-red",
        "wred",
        "fxred",
    ],
    [
        "red-e",
        "lru-red",
        "curvy-red",
        "sred",
        "dial",
        "dual-curvy-red",
        "pi",
    ],
];

/// The look of a built-in scheme; a program's own scheme has a colour by its name.
fn look_of(scheme: &str) -> usize {
    let known = SCHEMES.iter().flatten().position(|name| *name == scheme);
    known.unwrap_or_else(|| scheme.bytes().map(usize::from).sum::<usize>() % COLOURS.len())
}

/// The looks of the schemes of one report by their names, no two alike. The colour is the scheme's
/// own, whatever else is there; further settings of a scheme differ from it by dashes and symbol.
pub fn scheme_looks(schemes: &[&str]) -> Vec<usize> {
    let mut looks: Vec<Option<usize>> = vec![None; schemes.len()];
    let is_first = |at: &usize| !schemes[..*at].contains(&schemes[*at]);
    let (firsts, others): (Vec<usize>, Vec<usize>) = (0..schemes.len()).partition(is_first);
    for at in firsts.into_iter().chain(others) {
        let colour = look_of(schemes[at]) % COLOURS.len();
        // Its own look first, then those of its colour from the top.
        let mut wanted = std::iter::once(look_of(schemes[at]))
            .chain((0..).map(|row| colour + row * COLOURS.len()));
        looks[at] = wanted.find(|look| !looks.contains(&Some(*look)));
    }
    looks.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::marks::colour;
    use super::*;

    #[test]
    fn every_scheme_has_a_look_of_its_own() {
        let named: Vec<&str> = SCHEMES.into_iter().flatten().collect();
        let mut known: Vec<&str> = earlydrop::registry::SCHEMES
            .iter()
            .map(|one| one.name)
            .collect();
        let mut sorted = named.clone();
        sorted.sort_unstable();
        known.sort_unstable();
        assert_eq!(sorted, known);
        let looks: Vec<usize> = (0..named.len()).collect();
        assert_eq!(scheme_looks(&named), looks);
    }

    #[test]
    fn a_scheme_has_its_colour_whatever_else_is_shown() {
        let alone = colour(scheme_looks(&["pie"])[0]);
        let after = scheme_looks(&["red", "red", "codel", "droptail", "own", "pie"]);
        assert_eq!(colour(after[5]), alone);
        // The second setting of RED has RED's colour, and nobody's look.
        assert_eq!(colour(after[0]), colour(after[1]));
        let mut all = after.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), after.len());
        // A scheme that comes later keeps its own look: `fred` has RED's colour, too.
        assert_eq!(
            scheme_looks(&["red", "red", "cake", "fred"]),
            [1, 22, 8, 15]
        );
    }

    #[test]
    fn schemes_that_are_compared_most_have_colours_of_their_own() {
        let sets = [
            "droptail red ared pie codel fq-codel cobalt",
            "droptail red ared pie codel fq-codel dualpi2",
            "droptail step red pi2 pie dualpi2",
            "red nlred clred mred gred dsred rem",
        ];
        for set in sets {
            let names: Vec<&str> = set.split(' ').collect();
            let mut colours: Vec<_> = scheme_looks(&names).into_iter().map(colour).collect();
            colours.sort_unstable();
            colours.dedup();
            assert_eq!(colours.len(), names.len(), "{set}");
        }
    }
}
