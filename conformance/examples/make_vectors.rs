//! Writes the files of `conformance/vectors` anew.
//!
//! ```text
//! cargo run -p earlydrop-conformance --example make_vectors -- conformance/vectors
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use earlydrop_conformance::catalogue;
use earlydrop_conformance::vector::write;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("which folder?")?;
    fs::create_dir_all(&folder)?;
    let (mut vectors, mut bytes) = (0, 0);
    for (scheme, of_scheme) in catalogue::all()? {
        let text = write(&of_scheme);
        vectors += of_scheme.len();
        bytes += text.len();
        let path = PathBuf::from(&folder).join(format!("{scheme}.jsonl"));
        fs::write(path, text)?;
    }
    println!("{vectors} vectors, {bytes} bytes");
    Ok(())
}
