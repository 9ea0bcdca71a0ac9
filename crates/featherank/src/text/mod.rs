//! Numbers, counts and tables as text, written the same way by every front end.

mod layout;
mod wrap;

pub use layout::{Columns, text_table};
pub use wrap::{display_width, wrapped};

/// Line length if the width of a terminal is not known.
pub const LINE_WIDTH: usize = 100;

/// An integer with thousands separators.
///
/// ```
/// assert_eq!(featherank::internals::text::grouped(1234567), "1,234,567");
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// A count with its noun. Nouns that do not form the plural with "s" give both endings.
///
/// ```
/// use featherank::internals::text::counted;
/// assert_eq!(counted(1, "fold"), "1 fold");
/// assert_eq!(counted(0, "fold"), "0 folds");
/// assert_eq!(counted(1200, "test quer|y|ies"), "1,200 test queries");
/// ```
pub fn counted(count: usize, noun: &str) -> String {
    let mut parts = noun.split('|');
    let stem = parts.next().unwrap_or_default();
    let (one, many) = (parts.next().unwrap_or(""), parts.next().unwrap_or("s"));
    format!("{} {stem}{}", grouped(count as u64), if count == 1 { one } else { many })
}

/// A p-value: four decimals without the leading zero, `<.0001` below that; empty for NaN.
///
/// ```
/// use featherank::internals::text::p_value;
/// assert_eq!([0.0341, 0.00002, 1.0].map(p_value), [".0341", "<.0001", "1.0000"]);
/// ```
pub fn p_value(p: f64) -> String {
    match p {
        p if p.is_nan() => String::new(),
        p if p < 0.0001 => "<.0001".into(),
        p => format!("{p:.4}").trim_start_matches('0').to_owned(),
    }
}

/// A difference with its sign and four decimals.
///
/// ```
/// use featherank::internals::text::signed;
/// assert_eq!([-0.01234, 0.5, -0.00001].map(signed), ["−0.0123", "+0.5000", "0.0000"]);
/// ```
pub fn signed(value: f64) -> String {
    match format!("{value:+.4}").as_str() {
        "+0.0000" | "-0.0000" => "0.0000".to_owned(),
        text => with_minus(text),
    }
}

/// A number as text, with a minus sign instead of a hyphen; other text as it is.
///
/// ```
/// use featherank::internals::text::with_minus;
/// assert_eq!(["-7.00", "0.5", "-", "l1-svm"].map(with_minus), ["−7.00", "0.5", "-", "l1-svm"]);
/// ```
pub fn with_minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => format!("−{number}"),
        _ => text.to_owned(),
    }
}

/// A share in percent, with as many of four decimals as it needs.
///
/// ```
/// use featherank::internals::text::percent;
/// assert_eq!([percent(0.95), percent(0.025)], ["95 %", "2.5 %"]);
/// ```
pub fn percent(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}
