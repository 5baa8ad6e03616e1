//! The laboratory: one page with the simulator in it, and addresses of what it shows.
//!
//! The page is built by `web/build` and committed; it needs no network and no other file.

use std::fmt::Write as _;

/// The page.
pub const PAGE: &str = include_str!("../assets/laboratory.html");

/// Where the page holds the address that it opens without one of its own.
const START: &str = "<script type=\"text/plain\" id=\"start\">";

/// The most schemes that are shown side by side.
pub const MOST_SCHEMES: usize = 4;

/// The page, which opens what `address` says.
pub fn page(address: &str) -> String {
    PAGE.replacen(START, &format!("{START}{address}"), 1)
}

/// The address, from "#" on, of some schemes (specs such as "red:min=5,max=15") on the knobs' link.
pub fn of_schemes(schemes: &[String]) -> String {
    match schemes.is_empty() {
        true => String::new(),
        false => format!("#schemes={}", encoded(&schemes.join("|"))),
    }
}

/// The address, from "#" on, of a point of a scenario under some of its schemes, by label.
pub fn of_scenario(toml: &str, schemes: &[&str], seed: u64, point: usize) -> String {
    let mut address = format!(
        "#schemes={}&scenario={}",
        encoded(&schemes.join("|")),
        encoded(toml)
    );
    if point != 0 {
        address.push_str(&format!("&point={point}"));
    }
    if seed != 1 {
        address.push_str(&format!("&seed={seed}"));
    }
    address
}

/// A value in an address: what is not safe there as %XX.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b':' | b',' | b'|' => encoded.push(char::from(byte)),
            b' ' => encoded.push('+'),
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stands_in_the_page_once() {
        let address = of_scenario("rate = \"5 Mbps\"\n", &["red", "codel"], 3, 2);
        assert_eq!(
            address,
            "#schemes=red|codel&scenario=rate+%3D+%225+Mbps%22%0A&point=2&seed=3"
        );
        let page = page(&address);
        assert_eq!(page.len(), PAGE.len() + address.len());
        assert_eq!(page.matches(&address).count(), 1);
    }

    #[test]
    fn the_page_is_one_of_ours_and_refers_to_nothing_outside() {
        let head = PAGE.split("</head>").next().unwrap_or_default();
        assert!(head.contains("<meta name=\"generator\" content=\"earlydrop"));
        for reference in ["src=", "href=\"http", "url(", "import("] {
            assert!(!head.contains(reference), "{reference}");
        }
        assert!(head.contains("default-src 'none'"));
    }
}
