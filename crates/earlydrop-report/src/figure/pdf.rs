//! A picture as PDF 1.4: one page of the picture's size, its text in Helvetica.
//!
//! Helvetica is one of the fonts that every reader of PDF has, so the file embeds none; its text can
//! be selected and searched. Letters are encoded as WinAnsi (ISO 8859-1 with additions): others are
//! written as a question mark, and [`missing_letters`] names them.

use std::fmt::Write;

use super::scene::{Item, Path, Rgb, Scene, Text, short, width_of};

/// The beginning of every file: the version, a comment of bytes above 127 that marks the file as
/// binary, and the program.
pub const HEAD: &str = "%PDF-1.4\n%µ¶ earlydrop\n";

/// The PDF file of a picture.
pub(super) fn file(scene: &Scene) -> Vec<u8> {
    let opacities = opacities(scene);
    let states: Vec<String> = opacities
        .iter()
        .enumerate()
        .map(|(index, opacity)| format!("/G{index} << /Type /ExtGState /ca {opacity} >>"))
        .collect();
    let content = content(scene, &opacities);
    let (width, height) = (short(scene.width), short(scene.height));
    let objects: [Vec<u8>; 6] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /Font << /F0 5 0 R >> /ExtGState << {} >> >> >>",
            states.join(" ")
        )
        .into_bytes(),
        [
            format!("<< /Length {} >>\nstream\n", content.len()).as_bytes(),
            &content,
            b"\nendstream",
        ]
        .concat(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_vec(),
        format!(
            "<< /Title {} /Subject {} /Producer (earlydrop) >>",
            unicode(&scene.title),
            unicode(&scene.description)
        )
        .into_bytes(),
    ];
    let mut out = HEAD.as_bytes().to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n", index + 1).as_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let table = out.len();
    let count = objects.len() + 1;
    let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for offset in offsets {
        // Writing to a string cannot fail.
        let _ = writeln!(end, "{offset:010} 00000 n ");
    }
    let _ = write!(
        end,
        "trailer\n<< /Size {count} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{table}\n%%EOF\n"
    );
    out.extend(end.as_bytes());
    out
}

/// The letters of a picture's text that Helvetica has not, each once.
pub fn missing_letters(scene: &Scene) -> Vec<char> {
    let mut missing: Vec<char> = Vec::new();
    for item in &scene.items {
        if let Item::Text(written) = item {
            missing.extend(
                written
                    .text
                    .chars()
                    .filter(|letter| win_ansi(*letter).is_none()),
            );
        }
    }
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// The opacities of the picture's areas, each once.
fn opacities(scene: &Scene) -> Vec<f64> {
    let fills = scene.items.iter().filter_map(|item| match item {
        Item::Path(drawn) => drawn.fill.map(|(_, opacity)| opacity),
        _ => None,
    });
    let mut all: Vec<f64> = fills.chain([1.0]).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The operators that draw the picture. PDF's y axis points up.
fn content(scene: &Scene, opacities: &[f64]) -> Vec<u8> {
    let mut out = b"1 j\n".to_vec();
    let up = |y: f64| scene.height - y;
    for item in &scene.items {
        match item {
            Item::Path(Path {
                points,
                is_closed,
                stroke,
                fill,
                ..
            }) => {
                let mut text = String::new();
                if let Some((colour, opacity)) = fill {
                    let state = opacities.iter().position(|other| other == opacity);
                    let _ = write!(text, "/G{} gs {} rg ", state.unwrap_or(0), rgb(*colour));
                }
                if let Some(stroke) = stroke {
                    let dashes: Vec<String> = stroke.dashes.iter().map(|d| short(*d)).collect();
                    let (colour, width) = (rgb(stroke.colour), short(stroke.width));
                    let dashes = dashes.join(" ");
                    let _ = write!(text, "{colour} RG {width} w [{dashes}] 0 d ");
                }
                for (index, (x, y)) in points.iter().enumerate() {
                    let operator = if index == 0 { 'm' } else { 'l' };
                    let _ = write!(text, "{} {} {operator} ", short(*x), short(up(*y)));
                }
                let paint = match (fill.is_some(), stroke.is_some(), is_closed) {
                    (true, true, _) => "b",
                    (true, false, _) => "f",
                    (false, _, true) => "s",
                    (false, _, false) => "S",
                };
                text.push_str(paint);
                out.extend(text.as_bytes());
            }
            Item::Text(written) => {
                // Opacities are sorted, and 1 is among them.
                out.extend(text_operators(written, opacities.len() - 1, up));
            }
            Item::Clip([left, top, right, bottom]) => {
                let size = (short(right - left), short(bottom - top));
                let (x, y) = (short(*left), short(up(*bottom)));
                out.extend(format!("q {x} {y} {} {} re W n", size.0, size.1).as_bytes());
            }
            Item::EndClip => out.extend(b"Q"),
        }
        out.push(b'\n');
    }
    out
}

/// The operators that write a text; `opaque` is the index of the state without transparency.
fn text_operators(written: &Text, opaque: usize, up: impl Fn(f64) -> f64) -> Vec<u8> {
    let Text {
        at: (x, y),
        anchor,
        size,
        is_upward,
        colour,
        text,
    } = written;
    let before = anchor * width_of(text, *size);
    let (matrix, x, y) = match is_upward {
        true => ("0 1 -1 0", *x, up(*y) - before),
        false => ("1 0 0 1", x - before, up(*y)),
    };
    let (x, y, size, colour) = (short(x), short(y), short(*size), rgb(*colour));
    let mut out =
        format!("/G{opaque} gs BT {colour} rg /F0 {size} Tf {matrix} {x} {y} Tm (").into_bytes();
    for letter in text.chars() {
        match win_ansi(letter).unwrap_or(b'?') {
            byte @ (b'(' | b')' | b'\\') => out.extend([b'\\', byte]),
            byte => out.push(byte),
        }
    }
    out.extend(b") Tj ET");
    out
}

/// "0.11 0.13 0.17".
fn rgb(colour: Rgb) -> String {
    let parts = colour.map(|part| short(f64::from(part) / 255.0));
    parts.join(" ")
}

/// The byte of a letter in WinAnsi; `None` where it has none.
fn win_ansi(letter: char) -> Option<u8> {
    Some(match letter {
        ' '..='~' | '\u{a0}'..='\u{ff}' => letter as u32 as u8,
        '€' => 0x80,
        '…' => 0x85,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        // The minus sign is written as the dash of its width.
        '–' | '−' => 0x96,
        '—' => 0x97,
        '\u{202f}' => b' ',
        _ => return None,
    })
}

/// A text string of any letters, as UTF-16 in hexadecimal.
fn unicode(text: &str) -> String {
    let units: String = text
        .encode_utf16()
        .map(|unit| format!("{unit:04X}"))
        .collect();
    format!("<FEFF{units}>")
}
