//! Assembles the page: one file that loads nothing, with user-supplied text only inside the JSON
//! document.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use featherank::internals::REPORT_DEFECT;
use featherank::{Error, Result};
use sha2::{Digest, Sha256};

use crate::content::Content;

/// The scripts of the page, in order of dependency.
const SCRIPTS: &[&str] = &[
    include_str!("../page/dom.js"),
    include_str!("../page/export.js"),
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

/// plotly.js 3.0.1, the official bundle with scatter, box and heat-map traces.
const PLOTLY: &str = include_str!("../vendor/plotly-cartesian.min.js");

/// Forbids all network access and embedding. Scripts run only if their hash is listed; styles may
/// be inline, because charts set them; a chart that is saved as PNG is drawn from a blob.
fn policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)));
    let hashes: Vec<String> = scripts.iter().map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; \
         base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// The HTML page for this content.
pub fn page(content: &Content) -> Result<String> {
    let data = serde_json::to_string(content)
        .map_err(|e| Error::internal(format!("cannot write the report: {e}"), REPORT_DEFECT))?;
    let title = html(&content.title);
    let script = format!("\n(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.join("\n"));
    let policy = policy(&[PLOTLY, &script]);
    let parts = [
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        &policy,
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
        PLOTLY,
        "</script>\n<script>",
        &script,
        "</script>\n</body>\n</html>\n",
    ];
    Ok(parts.concat())
}

/// Escapes JSON for embedding in a script element.
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

/// Escapes text for HTML.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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

    /// The hash of an empty script, from the specification.
    #[test]
    fn scripts_are_allowed_by_their_hash() {
        let policy = policy(&["", "1"]);
        assert!(policy.contains("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"));
        let scripts = policy.split("; ").find(|part| part.starts_with("script-src")).unwrap();
        assert!(scripts.matches("'sha256-").count() == 2 && !scripts.contains("unsafe"));
    }

    #[test]
    fn the_plotly_bundle_is_complete_and_stays_inside_its_element() {
        assert!(PLOTLY.starts_with("/**\n* plotly.js (cartesian - minified) v3."));
        assert!(PLOTLY.contains("newPlot") && !PLOTLY.contains("</script"));
        // Browsers hash scripts after they replaced carriage returns.
        assert!(!PLOTLY.contains('\r') && SCRIPTS.iter().all(|script| !script.contains('\r')));
        let end = PLOTLY.trim_end();
        assert!(end.ends_with(';') || end.ends_with('}'), "cut off");
    }
}
