//! Each tool's name, unit and default of every knob, as a Markdown table.

use super::{Knob, all_tools};

/// A Markdown table with one row per knob and tool, sorted by knob.
pub fn knob_table() -> String {
    let mut text = String::from("| knob | tool | name | unit | default |\n|---|---|---|---|---|\n");
    for knob in Knob::ALL {
        let mut first = true;
        for tool in all_tools() {
            for entry in tool.knobs.iter().filter(|entry| entry.knob == *knob) {
                let name = if first {
                    format!("**{}**", knob.name())
                } else {
                    String::new()
                };
                first = false;
                text.push_str(&format!(
                    "| {name} | {} | {} | {} | {} |\n",
                    tool.name, entry.name, entry.unit, entry.default
                ));
            }
        }
    }
    text
}
