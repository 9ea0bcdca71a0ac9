//! Search responses: where Elasticsearch, OpenSearch and Solr put a document's id and logged
//! features.

use serde_json::Value;

use super::options::shorten;
use crate::error::Problem;

/// The documents of a response.
#[derive(Debug, PartialEq)]
pub(crate) struct Response<'a> {
    /// The query, if the response as a whole names it.
    pub query: Option<String>,
    pub hits: Vec<Hit<'a>>,
}

/// One document of a response.
#[derive(Debug, PartialEq)]
pub(crate) struct Hit<'a> {
    pub document: String,
    /// The query, if the document names it.
    pub query: Option<String>,
    /// The relevance label, if the document has one.
    pub label: Option<&'a Value>,
    /// Names and values in the order of the log.
    pub features: Vec<(&'a str, Logged<'a>)>,
    /// Whether the log omits features that are 0.
    pub sparse: bool,
}

/// A logged value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Logged<'a> {
    Missing,
    Number(f64),
    Text(&'a str),
}

const QUERY_KEYS: [&str; 2] = ["qid", "query_id"];
const LABEL_KEYS: [&str; 3] = ["label", "grade", "relevance"];

/// Parses a response of any of these engines, recognised by its structure.
pub(crate) fn parse(response: &Value) -> Result<Response<'_>, Problem> {
    let top_query = find(&[response], &QUERY_KEYS);
    if let Some(hits) = response.pointer("/hits/hits").and_then(Value::as_array) {
        let hits = hits.iter().map(elastic_hit).collect::<Result<_, _>>()?;
        return Ok(Response { query: top_query.and_then(id), hits });
    }
    if let Some(docs) = response.pointer("/response/docs").and_then(Value::as_array) {
        let asked = response.pointer("/responseHeader/params");
        let query = top_query.or_else(|| find(&[asked?], &QUERY_KEYS)).and_then(id);
        let hits = docs.iter().map(solr_hit).collect::<Result<_, _>>()?;
        return Ok(Response { query, hits });
    }
    let reason =
        "it has neither `hits.hits` (Elasticsearch, OpenSearch) nor `response.docs` (Solr)";
    Err(not_a_log(reason))
}

fn elastic_hit(hit: &Value) -> Result<Hit<'_>, Problem> {
    let document = hit.get("_id").and_then(id).ok_or_else(|| not_a_log("a hit has no `_id`"))?;
    let entries = hit.pointer("/fields/_ltrlog").and_then(Value::as_array);
    let entries =
        entries.ok_or_else(|| not_a_log(format!("document {document} has no `fields._ltrlog`")))?;
    let malformed = || {
        not_a_log(format!(
            "document {document}: `_ltrlog` must hold lists of {{\"name\": …, \"value\": …}}"
        ))
    };
    let mut features = Vec::new();
    for entry in entries {
        for list in entry.as_object().ok_or_else(malformed)?.values() {
            for feature in list.as_array().ok_or_else(malformed)? {
                let name = feature.get("name").and_then(Value::as_str).ok_or_else(malformed)?;
                features.push((name, logged(feature.get("value")).ok_or_else(malformed)?));
            }
        }
    }
    let places = [Some(hit), hit.get("_source"), hit.get("fields")];
    let places: Vec<&Value> = places.into_iter().flatten().collect();
    let (query, label) = (find(&places, &QUERY_KEYS).and_then(id), find(&places, &LABEL_KEYS));
    Ok(Hit { document, query, label, features, sparse: false })
}

fn solr_hit(doc: &Value) -> Result<Hit<'_>, Problem> {
    let document = doc.get("id").and_then(id).ok_or_else(|| not_a_log("a document has no `id`"))?;
    let log = doc.get("[features]").and_then(Value::as_str);
    let log = log.ok_or_else(|| not_a_log(format!("document {document} has no `[features]`")))?;
    // `a=0.1,b=0.2` lists every feature; `a:0.1 b:0.2` only those that are not 0.
    let sparse = !log.contains('=') && !log.trim().is_empty();
    let (between, inside) = if sparse { (' ', ':') } else { (',', '=') };
    let mut features = Vec::new();
    for word in log.split(between).map(str::trim).filter(|word| !word.is_empty()) {
        let (name, value) = word.rsplit_once(inside).ok_or_else(|| {
            not_a_log(format!(
                "document {document}: `{}` is not of the form name=value",
                shorten(word)
            ))
        })?;
        features.push((name.trim(), Logged::Text(value.trim())));
    }
    let (query, label) = (find(&[doc], &QUERY_KEYS).and_then(id), find(&[doc], &LABEL_KEYS));
    Ok(Hit { document, query, label, features, sparse })
}

fn not_a_log(reason: impl Into<String>) -> Problem {
    Problem::NotALog { reason: reason.into() }
}

fn logged(value: Option<&Value>) -> Option<Logged<'_>> {
    match value {
        None | Some(Value::Null) => Some(Logged::Missing),
        Some(Value::Number(number)) => number.as_f64().map(Logged::Number),
        Some(Value::String(text)) => Some(Logged::Text(text)),
        Some(_) => None,
    }
}

/// The first of the keys in the first place that has it. Search engines wrap single values in
/// lists.
fn find<'a>(places: &[&'a Value], keys: &[&str]) -> Option<&'a Value> {
    let values = places.iter().flat_map(|place| keys.iter().filter_map(|key| place.get(*key)));
    let single = |value: &'a Value| match value.as_array().map(Vec::as_slice) {
        Some([one]) => Some(one),
        Some(_) => None,
        None => Some(value),
    };
    values.filter_map(single).find(|value| !value.is_null())
}

/// Ids are strings or numbers.
fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn several_log_entries_are_merged() {
        let response = json!({"query_id": 7, "hits": {"hits": [{
            "_id": "7555", "_source": {"grade": "3"}, "fields": {"qid": ["x"], "_ltrlog": [
                {"one": [{"name": "a", "value": 9.5}]}, {"two": [{"name": "b"}]}]}}]}});
        let parsed = parse(&response).unwrap();
        assert_eq!(parsed.query.as_deref(), Some("7"));
        let hit = &parsed.hits[0];
        assert_eq!((hit.document.as_str(), hit.query.as_deref()), ("7555", Some("x")));
        assert_eq!(hit.label, Some(&json!("3")));
        assert_eq!(hit.features, [("a", Logged::Number(9.5)), ("b", Logged::Missing)]);
    }

    #[test]
    fn solr_logs_are_dense_or_sparse() {
        let response = json!({"responseHeader": {"params": {"qid": "q"}}, "response": {"docs": [
            {"id": 1, "[features]": "a=0.1,b=0.0"}, {"id": 2, "[features]": "b:0.5 c:1"}]}});
        let parsed = parse(&response).unwrap();
        assert_eq!(parsed.query.as_deref(), Some("q"));
        assert_eq!(
            parsed.hits[0].features,
            [("a", Logged::Text("0.1")), ("b", Logged::Text("0.0"))]
        );
        assert_eq!(parsed.hits[1].features, [("b", Logged::Text("0.5")), ("c", Logged::Text("1"))]);
        assert!(!parsed.hits[0].sparse && parsed.hits[1].sparse);
    }

    #[test]
    fn other_structures_are_rejected_with_the_reason() {
        for (response, reason) in [
            (json!({}), "neither"),
            (json!({"hits": {"hits": [{"_source": {}}]}}), "no `_id`"),
            (json!({"hits": {"hits": [{"_id": "9"}]}}), "document 9 has no `fields._ltrlog`"),
            (
                json!({"hits": {"hits": [{"_id": "9", "fields": {"_ltrlog": [[]]}}]}}),
                "must hold lists",
            ),
            (json!({"response": {"docs": [{"id": "9"}]}}), "no `[features]`"),
            (json!({"response": {"docs": [{"id": "9", "[features]": "a=1,b"}]}}), "`b` is not"),
        ] {
            let problem = parse(&response).unwrap_err().to_string();
            assert!(problem.contains(reason), "{problem}");
        }
    }
}
