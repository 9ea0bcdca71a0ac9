//! Quotes commands for a POSIX shell, so that printed commands run when they are copied.

/// Joins arguments into a command, quoted where necessary.
pub fn command<W: AsRef<str>>(words: &[W]) -> String {
    words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,=:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted() {
        assert_eq!(
            command(&["train", "my data.txt", "a'b", ""]),
            r"train 'my data.txt' 'a'\''b' ''"
        );
        assert_eq!(command(&["ndcg[letor]@10", "$(rm x)"]), "'ndcg[letor]@10' '$(rm x)'");
    }
}
