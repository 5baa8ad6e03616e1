//! The HTML document around a page without a charting library.

use crate::figure::{escape, variables};
use crate::run_report;

const PAGE_STYLE: &str = include_str!("../assets/page.css");

/// A complete HTML page; `body` is markup, `script` JavaScript or empty, `title` plain text.
///
/// Style and script are inline, and the content security policy forbids loading anything.
pub fn page_shell(title: &str, body: &str, script: &str) -> String {
    let script = match script {
        "" => String::new(),
        script => format!("<script>\n{script}</script>\n"),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; \
         form-action 'none'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"earlydrop\">\n<title>{}</title>\n\
         <style>\n{}:root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n\
         {PAGE_STYLE}</style>\n</head>\n<body>\n{body}{script}</body>\n</html>\n",
        escape(title),
        run_report::STYLE,
        variables(false),
        variables(true),
    )
}
