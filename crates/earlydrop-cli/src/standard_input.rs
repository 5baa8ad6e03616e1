//! Standard input, which `-` stands for in place of a file.

use std::io::Read;

use crate::diagnostics::STANDARD_INPUT;
use crate::failure::Failure;

/// Longer input is refused, as longer files are.
const MAX_BYTES: u64 = 1 << 24;

/// All of standard input, which must be text.
pub(crate) fn read() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(MAX_BYTES + 1);
    let count = input.read_to_end(&mut bytes)?;
    if count as u64 > MAX_BYTES {
        let text = format!("{STANDARD_INPUT}: longer than {MAX_BYTES} bytes");
        return Err(Failure::Usage(text));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Usage(format!("{STANDARD_INPUT}: not UTF-8 at byte {at}"))
    })
}
