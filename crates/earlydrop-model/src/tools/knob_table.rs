//! What every knob is called where, as a Markdown table.

use super::{Knob, TOOLS};

/// One row for each knob of each tool, knob by knob.
pub fn knob_table() -> String {
    let mut text =
        String::from("| knob | tool | called | in | unless set |\n|---|---|---|---|---|\n");
    for knob in Knob::ALL {
        let mut first = true;
        for tool in TOOLS {
            for called in tool.knobs.iter().filter(|called| called.knob == *knob) {
                let name = if first {
                    format!("**{}**", knob.name())
                } else {
                    String::new()
                };
                first = false;
                text.push_str(&format!(
                    "| {name} | {} | {} | {} | {} |\n",
                    tool.name, called.name, called.unit, called.default
                ));
            }
        }
    }
    text
}
