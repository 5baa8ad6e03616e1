//! Words in sentences.

/// "a, b and c", with `last` before the last.
pub(crate) fn listed(words: impl IntoIterator<Item: ToString>, last: &str) -> String {
    let words = words.into_iter().map(|word| word.to_string());
    match words.collect::<Vec<String>>().as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// "a, b and 3 more": the first `most` words, and how many there are beside them.
pub(crate) fn first_of(
    words: impl ExactSizeIterator<Item = String>,
    most: usize,
    last: &str,
) -> String {
    let more = words.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("{more} more"));
    listed(words.take(most).chain(more), last)
}

/// The text with its first letter in upper case.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase());
    first.into_iter().flatten().chain(letters).collect()
}
