//! Bad input of every kind: the message names the file, the line if there is one, and the remedy.
#![allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]

use crate::common::{Folder, column, cut, gzip, parquet, xz, zstd};
use arrow_array::types::Int32Type;
use arrow_array::{Date32Array, Float64Array, Int64Array, ListArray, StringArray};
use featherank::data::{
    Dataset, FeatureTable, Queries, ReadOptions, WriteOptions, read, read_bytes, read_like, write,
};
use proptest::prelude::*;

/// A mistake: the files, of which the first is the one that the message must name, and words that
/// the message must contain.
struct Case {
    files: Vec<(&'static str, Vec<u8>)>,
    /// The number of data files; the others are side files.
    inputs: usize,
    options: fn(&Folder) -> ReadOptions,
    words: Vec<&'static str>,
}

fn case(name: &'static str, content: impl AsRef<[u8]>, words: &[&'static str]) -> Case {
    let files = vec![(name, content.as_ref().to_vec())];
    Case { files, inputs: 1, options: |_| ReadOptions::default(), words: words.to_vec() }
}

fn side_file(
    mut case: Case,
    name: &'static str,
    content: &str,
    options: fn(&Folder) -> ReadOptions,
) -> Case {
    case.files.push((name, content.into()));
    Case { options, ..case }
}

/// A Parquet file with one column in addition to the usual ones.
fn with_column(array: arrow_array::ArrayRef) -> Vec<u8> {
    parquet(vec![
        ("label", column(Int64Array::from(vec![0, 1, 2, 0]))),
        ("qid", column(StringArray::from(vec!["a", "a", "b", "b"]))),
        ("extra", array),
    ])
}

fn numbers(values: [Option<f64>; 4]) -> Vec<u8> {
    with_column(column(Float64Array::from(values.to_vec())))
}

fn text_cases() -> Vec<Case> {
    let long: String =
        (0..2000).map(|i| format!("1 qid:{} 1:{}.25\n", i / 9, i * 7919 % 1000)).collect();
    vec![
        case(
            "a.txt",
            "0 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:1\n",
            &["query 1 appears again", "line 3 (first seen at line 1)", "`regroup`"],
        ),
        case("a.txt", "0 qid:1 1:1\n0 qid:1 1:1 1:2\n", &["feature 1 appears twice", "line 2"]),
        case("a.txt", "0 qid:1 2:1 1:2\n", &["feature 1 comes after feature 2", "line 1"]),
        case("a.txt", "0 qid:1 0:1\n", &["feature id 0", "line 1", "`zero_based`"]),
        case(
            "a.txt",
            "0 qid:1 1:high\n",
            &["the value of feature 1 `high` is not a number", "line 1"],
        ),
        case(
            "a.txt",
            "0 qid:1 1:nan\n",
            &["the value of feature 1 is NaN", "line 1", "missing = zero"],
        ),
        case("a.txt", "0 qid:1 1:-inf\n", &["the value of feature 1 is -inf", "line 1", "`clip`"]),
        case(
            "a.txt",
            "0 qid:1 1:1e39\n",
            &["beyond the largest 32-bit number", "line 1", "`clip`"],
        ),
        case("a.txt", "-1 qid:1 1:1\n", &["label -1 is negative", "line 1", "unjudged = drop"]),
        case("a.txt", "0 1:1\n", &["no query id", "line 1", "`group`"]),
        case("a.txt", "", &["no documents"]),
        case("a.txt", "\n\n# nothing\n", &["no documents"]),
        case("a.txt", b"0 qid:\xff 1:1\n", &["not UTF-8", "line 1"]),
        case("a.txt.gz", cut(gzip(&long)), &["gzip data is damaged or truncated"]),
        case("a.txt.zst", cut(zstd(&long)), &["zstd data is damaged or truncated"]),
        case("a.txt.xz", cut(xz(&long)), &["xz data is damaged or truncated"]),
        case("a.docx", "0 qid:1 1:1\n", &["format of this file is not clear", "`format`"]),
        side_file(
            case("a.txt", "0 1:1\n0 1:2\n", &["query sizes add up to 3", "2 rows"]),
            "a.txt.query",
            "1\n2\n",
            |_| ReadOptions::default(),
        ),
        side_file(
            case("a.txt", "0 qid:1 1:1\n", &["query sizes were given as well", "`group`"]),
            "sizes",
            "1\n",
            |folder| ReadOptions { groups: Some(folder.path("sizes")), ..ReadOptions::default() },
        ),
    ]
}

fn table_cases() -> Vec<Case> {
    let long: String = (0..2000).map(|i| format!("1,{},{}.25\n", i / 9, i * 7919 % 1000)).collect();
    vec![
        case(
            "a.csv",
            "label,qid,bm25\n0,1,2\n\n0,1\n",
            &["this row has 2 cells, and the header has 3", "line 4"],
        ),
        case("a.csv", "label,qid,bm25\n0,1,2,3\n", &["this row has 4 cells", "line 2"]),
        case(
            "a.csv",
            "label,qid,bm25\r\n0,1,2\r\n0,1,x\r\n",
            &["the value of column `bm25` `x` is not a number", "line 3"],
        ),
        case(
            "a.tsv",
            "label\tqid\tbm25\n0\t1\t\n",
            &["the value of column `bm25` is missing", "line 2", "missing = zero"],
        ),
        case(
            "a.csv",
            "label,qid,bm25\n0,1,NaN\n",
            &["the value of column `bm25` is NaN", "line 2"],
        ),
        case("a.csv", "label,qid,bm25\n0,1,1e39\n", &["`bm25` is 1e39, beyond", "line 2"]),
        case(
            "a.csv",
            "label,qid,bm25\n,1,2\n",
            &["of query 1 has no label", "line 2", "unjudged = drop"],
        ),
        case(
            "a.csv",
            "label,qid,docid,a\n,1,d7,2\n",
            &["document d7 of query 1 has no label", "line 2"],
        ),
        case("a.csv", "label,qid,bm25\n-2,1,2\n", &["label -2 is negative", "line 2"]),
        case("a.csv", "label,qid,bm25\n1,,2\n", &["no query id", "line 2"]),
        case(
            "a.csv",
            "label,qid,bm25\n0,1,1\n0,2,1\n0,1,1\n",
            &["query 1 appears again", "line 4 (first seen at line 2)"],
        ),
        case("a.csv", "0,1,2\n1,1,3\n", &["looks like data", "first row"]),
        case("a.csv", "qid,a\n1,2\n", &["no label column", "`label_column`"]),
        case("a.csv", "label,a\n1,2\n", &["no query column", "`query_column`"]),
        case("a.csv", "label,rel,qid,a\n1,1,1,1\n", &["`label` or `rel`", "`label_column`"]),
        case("a.csv", ",label,qid,a\n0,1,1,1\n", &["column 1 has no name", "without the index"]),
        case("a.csv", "label,qid,a,a\n1,1,1,1\n", &["two columns are called `a`"]),
        case("a.csv", "label,qid\n1,1\n", &["this file has no features"]),
        case("a.csv", b"label,qid,\xff\n1,1,1\n", &["not UTF-8"]),
        case("a.csv", "", &["no documents"]),
        case("a.csv", "label,qid,a\n", &["no documents"]),
        case("a.csv.gz", cut(gzip(format!("label,qid,a\n{long}"))), &["gzip data is damaged"]),
        case("a.csv.zst", cut(zstd(format!("label,qid,a\n{long}"))), &["zstd data is damaged"]),
        case("a.csv.xz", cut(xz(format!("label,qid,a\n{long}"))), &["xz data is damaged"]),
    ]
}

fn parquet_cases() -> Vec<Case> {
    let lists = vec![Some(vec![Some(1)]), None, Some(vec![]), Some(vec![Some(2)])];
    let words = column(StringArray::from(vec!["x"; 4]));
    let usual = |label, query| {
        parquet(vec![("label", label), ("qid", query), ("a", column(Int64Array::from(vec![1; 4])))])
    };
    let whole = |values: [i64; 4]| column(Int64Array::from(values.to_vec()));
    vec![
        case("a.parquet", cut(numbers([Some(1.0); 4])), &["Parquet data is damaged or truncated"]),
        case("a.parquet", "", &["Parquet data is damaged"]),
        case("a.parquet", "label,qid,a\n", &["Parquet data is damaged"]),
        case("a.parquet.gz", cut(gzip(numbers([Some(1.0); 4]))), &["gzip data is damaged"]),
        case("a.parquet", with_column(words.clone()), &["column `extra` holds Utf8", "`ignore`"]),
        case(
            "a.parquet",
            with_column(column(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
            &["column `extra` holds List", "`ignore`"],
        ),
        case(
            "a.parquet",
            with_column(column(Date32Array::from(vec![1; 4]))),
            &["column `extra` holds Date32"],
        ),
        case(
            "a.parquet",
            numbers([Some(1.0), None, Some(1.0), Some(1.0)]),
            &["column `extra` is missing", "line 2"],
        ),
        case(
            "a.parquet",
            numbers([Some(1.0), Some(1.0), Some(1.0), Some(f64::NAN)]),
            &["`extra` is NaN", "line 4"],
        ),
        case(
            "a.parquet",
            numbers([Some(1.0), Some(1.0), Some(1.0), Some(1e300)]),
            &["`extra` is 1e300, beyond", "line 4"],
        ),
        case(
            "a.parquet",
            usual(words.clone(), words.clone()),
            &["column `label` holds Utf8, and labels must be numbers"],
        ),
        case(
            "a.parquet",
            usual(whole([0; 4]), column(Float64Array::from(vec![1.0; 4]))),
            &["no query column", "ids must be"],
        ),
        case(
            "a.parquet",
            usual(whole([0, 0, 0, -1]), words.clone()),
            &["label -1 is negative", "line 4"],
        ),
        case(
            "a.parquet",
            usual(whole([0; 4]), whole([1, 1, 2, 1])),
            &["query 1 appears again", "line 4 (first seen at line 1)"],
        ),
        Case {
            options: |_| ReadOptions { max_bytes: 15, ..ReadOptions::default() },
            ..case(
                "a.parquet",
                numbers([Some(1.0); 4]),
                &["4 documents × 1 features", "`max_memory`"],
            )
        },
    ]
}

fn log_cases() -> Vec<Case> {
    let good = r#"{"qid":1,"response":{"docs":[{"id":"d","label":1,"[features]":"a=1"}]}}"#;
    let unjudged = r#"{"qid":2,"response":{"docs":[{"id":"d9","[features]":"a=1"}]}}"#;
    vec![
        case("a.json", format!("{good}\n{{\"qid\": oops}}"), &["JSON data is damaged", "line 2"]),
        case("a.json", &good[..50], &["JSON data is damaged", "line 1"]),
        case(
            "a.json",
            format!("{good}\n{unjudged}\n"),
            &["document d9 of query 2 has no label", "line 2", "unjudged = drop"],
        ),
        case("a.json", r#"{"took":1}"#, &["not a feature log", "line 1"]),
        case("a.json", "[1,2]", &["not a feature log", "line 1"]),
        case("a.json", "17", &["not a feature log", "line 1"]),
        case("a.json", good.replace("\"qid\":1,", ""), &["no query id", "line 1"]),
        case("a.json", good.replace("a=1", "a=x"), &["feature `a` `x` is not a number", "line 1"]),
        case("a.json", good.replace("a=1", "a=1e99"), &["feature `a` is 1e99, beyond", "line 1"]),
        case("a.json", "", &["no documents"]),
        case("a.json.gz", cut(gzip(good.repeat(50))), &["gzip data is damaged"]),
        side_file(case("qrels", "1 0 d\n", &["3 cells", "line 1"]), "a.json", good, |folder| {
            ReadOptions { judgments: Some(folder.path("qrels")), ..ReadOptions::default() }
        }),
    ]
}

fn several_file_cases() -> Vec<Case> {
    let two = |mut case: Case, name, content: &str| {
        case.files.push((name, content.into()));
        Case { inputs: 2, ..case }
    };
    let names: fn(&Folder) -> ReadOptions =
        |folder| ReadOptions { names: Some(folder.path("names")), ..ReadOptions::default() };
    vec![
        // The faulty file is first in the list, and is read second.
        two(
            case(
                "b.csv",
                "label,qid,bm25\n1,2,1\n",
                &["feature 1 is called `bm25` here and `age` in", "a.csv"],
            ),
            "a.csv",
            "label,qid,age\n1,1,1\n",
        ),
        two(
            case("b.csv", "label,qid,a\n1,2,1\n", &["1 feature here, 2 in", "a.csv"]),
            "a.csv",
            "label,qid,a,b\n1,1,1,1\n",
        ),
        side_file(
            case("names", "bm25\nage\n", &["2 names for 1 feature", "id<TAB>name"]),
            "a.txt",
            "0 qid:1 1:1\n",
            names,
        ),
        side_file(
            case("names", "1\tbm25\n7\tage\n", &["feature id 7", "line 2"]),
            "a.txt",
            "0 qid:1 1:1\n",
            names,
        ),
        side_file(
            case("names", "x\nx\n", &["two columns are called `x`"]),
            "a.txt",
            "0 qid:1 1:1 2:1\n",
            names,
        ),
    ]
}

#[test]
fn every_error_names_its_place_and_a_remedy() {
    let cases = [text_cases(), table_cases(), parquet_cases(), log_cases(), several_file_cases()];
    for (index, case) in cases.into_iter().flatten().enumerate() {
        let folder = Folder::new();
        let paths: Vec<_> =
            case.files.iter().map(|(name, content)| folder.put(name, content)).collect();
        // If a side file is faulty, data files come first; otherwise the faulty file comes last.
        let side_first = matches!(case.files[0].0, "names" | "qrels");
        let mut inputs: Vec<_> =
            if side_first { paths[1..2].to_vec() } else { paths[..case.inputs].to_vec() };
        inputs.reverse();
        let error = match read(&inputs, &(case.options)(&folder)) {
            Ok(data) => panic!("case {index} ({:?}) was read: {data:?}", case.words),
            Err(error) => error.to_string(),
        };
        let place = format!("\n  --> {}", paths[0].display());
        for word in case.words.iter().copied().chain([place.as_str(), "\n  help: "]) {
            assert!(error.contains(word), "case {index}: no `{word}` in:\n{error}");
        }
    }
}

#[test]
fn missing_files_folders_and_empty_lists_are_rejected() {
    let folder = Folder::new();
    for (path, words) in
        [(folder.path("none.txt"), "no such file"), (folder.path("."), "is a folder")]
    {
        let error = read(&[&path], &ReadOptions::default()).unwrap_err().to_string();
        for word in [words, &path.display().to_string(), "help: "] {
            assert!(error.contains(word), "{error}");
        }
    }
    let none: [&str; 0] = [];
    assert!(read(&none, &ReadOptions::default()).is_err());
}

#[test]
fn test_data_must_have_the_features_of_the_training_data() {
    let folder = Folder::new();
    let options = ReadOptions::default();
    let train = read_bytes("label,qid,a,b\n1,1,1,1\n".into(), "train.csv", &options).unwrap();
    for (content, words) in [
        ("label,qid,a\n1,1,1\n", "1 feature here, 2 in train.csv"),
        ("label,qid,a,b,c\n1,1,1,1,1\n", "3 features here, 2 in train.csv"),
        ("label,qid,b,a\n1,1,1,1\n", "feature 1 is called `b` here and `a` in train.csv"),
    ] {
        let test = folder.put("test.csv", content);
        let error = read_like(&[&test], &options, &train, "train.csv").unwrap_err().to_string();
        for word in [words, &test.display().to_string(), "help: "] {
            assert!(error.contains(word), "{error}");
        }
    }
}

#[test]
fn error_names_an_unknown_column_to_ignore() {
    let options = ReadOptions { ignore: vec!["pagerang".into()], ..ReadOptions::default() };
    let text = "label,qid,pagerank\n1,1,1\n";
    let error = read_bytes(text.into(), "a.csv", &options).unwrap_err().to_string();
    for word in ["pagerang", "a.csv", "help: did you mean `pagerank`"] {
        assert!(error.contains(word), "{error}");
    }
}

/// A small valid file with two row groups.
fn good_parquet() -> Vec<u8> {
    let values: Vec<f32> = (0..40).map(|i| i as f32 / 7.0).collect();
    let queries = Queries::from_sizes(&[4, 6, 10]);
    let texts = (0..20).map(|i| if i % 2 == 0 { "even" } else { "odd" }).collect();
    let data = Dataset::new(values, vec![1.0; 20], queries, FeatureTable::numbered(2, 1))
        .with_documents(Some(texts));
    let folder = Folder::new();
    write(&data, &folder.path("a.parquet"), &WriteOptions::default()).unwrap();
    std::fs::read(folder.path("a.parquet")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Damage at any position gives data or an error, never a crash.
    #[test]
    fn damaged_parquet_never_crashes(at: prop::sample::Index, byte: u8, end: prop::sample::Index, cutting: bool) {
        let mut bytes = good_parquet();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if cutting {
            bytes.truncate(end.index(bytes.len()));
        }
        let _ = read_bytes(bytes, "a.parquet", &ReadOptions { max_bytes: 1 << 24, ..ReadOptions::default() });
    }

    #[test]
    fn any_bytes_never_crash(bytes: Vec<u8>, words in "(label|qid|[0-9,;:#\"\n{}\\[\\]. ]|hits|response|docs){0,40}") {
        for name in ["a.txt", "a.csv", "a.tsv", "a.json", "a.parquet"] {
            let _ = read_bytes(bytes.clone(), name, &ReadOptions::default());
            let _ = read_bytes(words.clone().into(), name, &ReadOptions::default());
        }
    }
}
