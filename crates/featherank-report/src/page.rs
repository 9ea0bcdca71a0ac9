//! The page itself: one file, nothing fetched, and no text of users anywhere but in the document it
//! carries.

use featherank::error::REPORT_DEFECT;
use featherank::{Error, Result};
use plotly::Plot;

use crate::content::Content;

/// Concerns of the page's script, in the order in which they need each other.
const SCRIPTS: &[&str] = &[
    include_str!("../page/dom.js"),
    include_str!("../page/copy.js"),
    include_str!("../page/theme.js"),
    include_str!("../page/chart.js"),
    include_str!("../page/tabs.js"),
    include_str!("../page/tabs/recommendation.js"),
    include_str!("../page/tabs/fronts.js"),
    include_str!("../page/tabs/sizes.js"),
    include_str!("../page/tabs/queries.js"),
    include_str!("../page/tabs/convergence.js"),
    include_str!("../page/tabs/redundancy.js"),
    include_str!("../page/tabs/stability.js"),
    include_str!("../page/tabs/time.js"),
    include_str!("../page/tabs/repeat.js"),
    include_str!("../page/start.js"),
];
const STYLE: &str = include_str!("../page/style.css");

/// Nothing may be fetched, sent, framed or loaded; scripts and styles are those of the page.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The page that shows this content.
pub fn page(content: &Content) -> Result<String> {
    let data = serde_json::to_string(content)
        .map_err(|e| Error::internal(format!("cannot write the report: {e}"), REPORT_DEFECT))?;
    let title = html(&content.title);
    let parts = [
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        POLICY,
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"featherank\">\n<title>",
        &title,
        " · featherank</title>\n<style>\n",
        STYLE,
        "</style>\n</head>\n",
        include_str!("../page/body.html"),
        "<script type=\"application/json\" id=\"content\">",
        &inside_script(&data),
        "</script>\n<script>",
        plotly_js()?,
        "</script>\n<script>\n(() => {\n\"use strict\";\n",
        &SCRIPTS.join("\n"),
        "})();\n</script>\n</body>\n</html>\n",
    ];
    Ok(parts.concat())
}

/// JSON that no parser of HTML takes for anything but text, and no parser of JavaScript for a line
/// end.
fn inside_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)))
            }
            c => text.push(c),
        }
    }
    text
}

/// Text between tags.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// plotly.js alone. The crate hands it out in a script element, followed by MathJax in another one,
/// which we need not.
fn plotly_js() -> Result<&'static str> {
    static SOURCES: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(Plot::offline_js_sources);
    let first = SOURCES.split_once("<script type=\"text/javascript\">").map(|(_, rest)| rest);
    let script = first.and_then(|rest| rest.split_once("</script>")).map(|(script, _)| script);
    script.filter(|script| script.starts_with("/**\n* plotly.js")).ok_or_else(|| {
        Error::internal("the script of the plotting library was not found", REPORT_DEFECT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_leave_its_element() {
        let text = inside_script(r#"{"a":"</script><!-- & \u2028"}"#);
        assert_eq!(text, r#"{"a":"\u003c/script\u003e\u003c!-- \u0026 \u2028"}"#);
        assert_eq!(inside_script("\u{2028}"), r"\u2028");
    }

    #[test]
    fn plotly_comes_alone_and_whole() {
        let script = plotly_js().unwrap();
        assert!(
            script.contains("newPlot")
                && !script.contains("MathJax.js/")
                && script.len() > 1_000_000
        );
        assert!(script.trim_end().ends_with(';') || script.trim_end().ends_with('}'), "cut off");
    }
}
