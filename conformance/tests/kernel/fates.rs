//! Fates of a kernel's run as `bench/reference/linux/fates` has them.

/// A letter for each packet, of text with runs of equal ones, each a number (none for 1) and a letter.
pub(crate) fn letters(text: &str) -> Vec<u8> {
    let (mut letters, mut number) = (Vec::new(), 0);
    for byte in text.bytes().filter(|byte| *byte != b'\n') {
        if byte.is_ascii_digit() {
            number = 10 * number + usize::from(byte - b'0');
        } else {
            letters.extend(std::iter::repeat_n(byte, number.max(1)));
            number = 0;
        }
    }
    letters
}
