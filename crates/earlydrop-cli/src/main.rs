//! The program `earlydrop`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(earlydrop_cli::run(std::env::args_os()))
}
