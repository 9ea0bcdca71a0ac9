//! Every format from small literal files, in the variants found in practice.

use crate::common::{Folder, column, gzip, parquet, xz, zstd};
use arrow_array::ArrowPrimitiveType;
use arrow_array::types::Float16Type;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    BinaryArray, BooleanArray, DictionaryArray, Float16Array, Float32Array, Float64Array,
    Int64Array, LargeStringArray, StringArray, StringViewArray, UInt16Array,
};
use featherank::data::{
    Dataset, Format, Missing, ReadOptions, Unjudged, read, read_bytes, read_like,
};

const LETOR: &str = "2 qid:a 1:0.5 2:3 #d1\n0 qid:a 1:1e-3 2:-4 #d2\n1 qid:b 1:0 2:7 #d3\n";
const CSV: &str = "qid,docid,bm25,label,age\na,d1,0.5,2,3\na,d2,1e-3,0,-4\nb,d3,0,1,7\n";

fn plain() -> ReadOptions {
    ReadOptions::default()
}

/// The features in the order of the file.
fn labels(data: &Dataset) -> Vec<String> {
    data.features().by_id().into_iter().map(|feature| data.features().label(feature)).collect()
}

/// All files here hold the same three documents.
fn check(data: &Dataset, what: &str) {
    let in_file = data.features().by_id().into_iter();
    let values: Vec<f32> = in_file.flat_map(|feature| data.column(feature).to_vec()).collect();
    assert_eq!(values, [0.5, 1e-3, 0.0, 3.0, -4.0, 7.0], "{what}");
    assert_eq!(data.labels(), [2.0, 0.0, 1.0], "{what}");
    assert_eq!(data.queries().ids(), ["a", "b"], "{what}");
    assert_eq!(data.queries().sizes().collect::<Vec<_>>(), [2, 1], "{what}");
    assert_eq!(
        (0..3).map(|row| data.document_id(row)).collect::<Vec<_>>(),
        ["d1", "d2", "d3"],
        "{what}"
    );
}

#[test]
fn text_reads_the_same_in_every_variant() {
    let folder = Folder::new();
    let semicolons = CSV.replace(',', ";");
    let quoted = CSV.replace("a,d1", "\"a\",\"d1\"").replace("bm25", "\"bm25\"");
    let spread = CSV.replace('\n', "\r\n\r\n");
    for (name, content) in [
        ("t.txt", LETOR.into()),
        ("tabs.txt", LETOR.replace(' ', "\t").into()),
        ("windows.txt", LETOR.replace('\n', "\r\n").into()),
        ("t.txt.gz", gzip(LETOR)),
        ("t.txt.zst", zstd(LETOR)),
        ("t.txt.xz", xz(LETOR)),
        ("two-members.txt.gz", [gzip(&LETOR[..22]), gzip(&LETOR[22..])].concat()),
        ("compressed-in-disguise.txt", gzip(LETOR)),
        ("t.csv", CSV.into()),
        ("bom.csv", format!("\u{feff}{CSV}").into_bytes()),
        ("semicolon.csv", semicolons.clone().into()),
        ("bom-semicolon.csv", format!("\u{feff}{semicolons}").into_bytes()),
        ("quoted.csv", quoted.into()),
        ("spread.csv", spread.into()),
        ("no-last-line-end.csv", CSV.trim_end().into()),
        ("blanks.csv", CSV.replace(',', " , ").into()),
        ("t.tsv", CSV.replace(',', "\t").into()),
        ("t.csv.gz", gzip(CSV)),
        ("t.csv.zst", zstd(CSV)),
        ("t.tsv.xz", xz(CSV.replace(',', "\t"))),
    ] {
        let data = read(&[folder.put(name, content)], &plain());
        check(&data.unwrap_or_else(|e| panic!("{name}: {e}")), name);
    }
}

#[test]
fn columns_keep_their_names() {
    let data = read_bytes(CSV.into(), "t.csv", &plain()).unwrap();
    assert_eq!(labels(&data), ["bm25", "age"]);
    let options = ReadOptions {
        ignore: vec!["docid".into()],
        document_column: Some("bm25".into()),
        label_column: Some("age".into()),
        unjudged: Unjudged::Zero,
        ..plain()
    };
    let data = read_bytes(CSV.into(), "t.csv", &options).unwrap();
    assert_eq!((data.features().len(), data.features().label(0.into())), (1, "label".into()));
    assert_eq!((data.labels(), data.document_id(0)), (&[3.0, 0.0, 7.0][..], "0.5".into()));
}

#[test]
fn irregular_cells_follow_the_options() {
    let text = "label,qid,a\n,1,5\n-1,1,6\n1,1,\n2,1,NULL\n3,1,1e99\n";
    let options =
        |unjudged| ReadOptions { missing: Missing::Zero, clip: true, unjudged, ..plain() };
    let data = read_bytes(text.into(), "t.csv", &options(Unjudged::Drop)).unwrap();
    assert_eq!((data.labels(), data.values()), (&[1., 2., 3.][..], &[0., 0., f32::MAX][..]));
    let data = read_bytes(text.into(), "t.csv", &options(Unjudged::Zero)).unwrap();
    assert_eq!(data.labels(), [0., 0., 1., 2., 3.]);
}

#[test]
fn query_sizes_come_from_side_files() {
    let folder = Folder::new();
    let rows = "2 1:0.5 2:3 #d1\n0 1:1e-3 2:-4 #d2\n1 1:0 2:7 #d3\n";
    let sizes = |data: Dataset| data.queries().sizes().collect::<Vec<_>>();
    for ending in [".query", ".group"] {
        let name = format!("beside{ending}.txt");
        folder.put(&format!("{name}{ending}"), "2\n1\n");
        assert_eq!(sizes(read(&[folder.put(&name, rows)], &plain()).unwrap()), [2, 1], "{ending}");
    }
    let groups = Some(folder.put("sizes", "# sizes\n1\n\n2\n"));
    let data = read(&[folder.put("t.txt", rows)], &ReadOptions { groups, ..plain() }).unwrap();
    assert_eq!(sizes(data), [1, 2]);
}

#[test]
fn names_files_list_names_or_ids_with_names() {
    let folder = Folder::new();
    let data = folder.put("t.txt", LETOR);
    for (file, expected) in [
        ("bm25\nage\n", ["bm25", "age"]),
        ("2\tage of page\n1\tbm25", ["bm25", "age of page"]),
        ("2\tage", ["1", "age"]),
    ] {
        let options = ReadOptions { names: Some(folder.put("names", file)), ..plain() };
        let data = read(&[&data], &options).unwrap();
        check(&data, file);
        assert_eq!(labels(&data), expected);
    }
}

#[test]
fn parquet_accepts_every_type_of_number_and_id() {
    let half = |values: [f32; 3]| {
        Float16Array::from_iter_values(values.map(|v| {
            // A 16-bit number from its bits, to avoid another dependency.
            let bits = match v {
                0.5 => 0x3800,
                1.0 => 0x3c00,
                _ => 0x4200,
            };
            <Float16Type as ArrowPrimitiveType>::Native::from_bits(bits)
        }))
    };
    let words: DictionaryArray<Int8Type> = ["a", "a", "b"].into_iter().collect();
    let wide = DictionaryArray::<Int32Type>::new(
        vec![0, 0, 1].into(),
        column(Float64Array::from(vec![1.5, 2.5])),
    );
    for (name, query, ids) in [
        ("text", column(StringArray::from(vec!["a", "a", "b"])), ["a", "b"]),
        ("large text", column(LargeStringArray::from(vec!["a", "a", "b"])), ["a", "b"]),
        ("text view", column(StringViewArray::from(vec!["a", "a", "b"])), ["a", "b"]),
        ("dictionary", column(words), ["a", "b"]),
        ("binary", column(BinaryArray::from(vec![&b"a"[..], b"a", b"b"])), ["a", "b"]),
        ("whole number", column(Int64Array::from(vec![-7, -7, 12])), ["-7", "12"]),
    ] {
        let bytes = parquet(vec![
            ("f16", column(half([0.5, 1.0, 3.0]))),
            ("qid", query),
            ("f64", column(Float64Array::from(vec![0.1, 1e-60, -2.0]))),
            ("u16", column(UInt16Array::from(vec![Some(1), None, Some(65535)]))),
            ("label", column(BooleanArray::from(vec![true, false, true]))),
            ("dictionary", column(wide.clone())),
        ]);
        let options = ReadOptions { missing: Missing::Zero, ..plain() };
        let data = read_bytes(bytes.clone(), "t.parquet", &options).unwrap();
        assert_eq!(data.queries().ids(), ids, "{name}");
        assert_eq!(data.labels(), [1.0, 0.0, 1.0]);
        assert_eq!(
            data.values(),
            [0.5, 1., 3., 0.1, 0., -2., 1., 0., 65535., 1.5, 1.5, 2.5],
            "{name}"
        );
        let folder = Folder::new();
        assert_eq!(
            read(&[folder.put("t.parquet", &bytes)], &options).unwrap(),
            data,
            "from a file"
        );
        assert_eq!(
            read(&[folder.put("t.parquet.gz", gzip(&bytes))], &options).unwrap(),
            data,
            "compressed"
        );
    }
}

#[test]
fn parquet_row_groups_keep_the_order_of_the_file() {
    let rows = 20_000;
    let bytes = parquet(vec![
        ("label", column(Float32Array::from_iter_values((0..rows).map(|i| (i % 3) as f32)))),
        ("qid", column(Int64Array::from_iter_values((0..rows).map(|i| i / 7)))),
        ("a", column(Int64Array::from_iter_values(0..rows))),
    ]);
    let data = read_bytes(bytes, "t.parquet", &plain()).unwrap();
    assert!(data.values().iter().enumerate().all(|(i, &v)| v == i as f32));
    assert_eq!(data.queries().len(), 2858);
}

#[test]
fn parquet_drops_unjudged_rows_before_checking_them() {
    let bytes = parquet(vec![
        ("label", column(Float32Array::from(vec![Some(1.0), None, Some(-1.0), Some(2.0)]))),
        ("qid", column(StringArray::from(vec!["a", "a", "b", "c"]))),
        ("doc", column(StringArray::from(vec![Some("d1"), Some("d2"), Some("d3"), None]))),
        ("a", column(Float64Array::from(vec![1.0, f64::NAN, 1e99, 4.0]))),
    ]);
    let options = ReadOptions { unjudged: Unjudged::Drop, ..plain() };
    let data = read_bytes(bytes, "t.parquet", &options).unwrap();
    assert_eq!((data.labels(), data.values()), (&[1., 2.][..], &[1., 4.][..]));
    assert_eq!(data.queries().ids(), ["a", "c"]);
    assert_eq!(data.document_texts().unwrap().iter().collect::<Vec<_>>(), ["d1", ""]);
}

const ELASTIC: &str = r#"{"qid":"a","hits":{"hits":[
  {"_id":"d1","label":2,"fields":{"_ltrlog":[{"log_entry1":[{"name":"bm25","value":0.5},{"name":"age","value":3}]}]}},
  {"_id":"d2","_source":{"grade":0},"fields":{"_ltrlog":[{"log_entry1":[{"name":"bm25","value":1e-3},{"name":"age","value":-4}]}]}}]}}
{"query_id":"b","hits":{"hits":[
  {"_id":"d3","relevance":"1","fields":{"_ltrlog":[{"log_entry1":[{"name":"age","value":7}]},{"more":[{"name":"bm25"}]}]}}]}}
"#;
const SOLR: &str = r#"[{"responseHeader":{"params":{"qid":"a"}},"response":{"docs":[
  {"id":"d1","[features]":"bm25=0.5,age=3.0"},{"id":"d2","[features]":"bm25=0.001,age=-4"}]}},
 {"response":{"docs":[{"id":"d3","qid":"b","[features]":"age:7.0"}]}}]"#;

#[test]
fn logs_take_labels_from_the_documents_or_from_judgments() {
    let folder = Folder::new();
    let options = ReadOptions { missing: Missing::Zero, ..plain() };
    check(&read(&[folder.put("log.jsonl", ELASTIC)], &options).unwrap(), "Elasticsearch");
    check(&read(&[folder.put("log.json.gz", gzip(ELASTIC))], &options).unwrap(), "compressed");
    let judgments = folder.put("qrels.txt", "a 0 d1 2\na 0 d2 0\nb 0 d3 1\nb 0 other 4\n");
    let options = ReadOptions { judgments: Some(judgments), ..plain() };
    check(&read(&[folder.put("solr.json", SOLR)], &options).unwrap(), "Solr");
    let options = ReadOptions { unjudged: Unjudged::Zero, ..plain() };
    assert_eq!(read(&[folder.path("solr.json")], &options).unwrap().labels(), [0.0; 3]);
}

#[test]
fn the_format_can_be_given_and_files_can_be_joined() {
    let folder = Folder::new();
    let odd = folder.put("data.from-yesterday", CSV);
    check(
        &read(&[odd], &ReadOptions { format: Some(Format::Csv), ..plain() }).unwrap(),
        "--format csv",
    );
    let (one, two) = LETOR.split_at(LETOR.find("1 qid:b").unwrap());
    let files = [folder.put("1.txt", one), folder.put("2.txt", two)];
    let joined = read(&files, &plain()).unwrap();
    check(&joined, "two files");
    assert_eq!(read_like(&files[1..], &plain(), &joined, "1.txt").unwrap().documents(), 1);
}
