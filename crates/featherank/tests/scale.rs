//! Data that does not fit in memory, or is not in this process: the same bits as in memory.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use featherank::Result;
use featherank::data::synth::{SynthConfig, generate};
use featherank::data::{
    Dataset, FeatureId, FeatureTable, PartSource, Parts, Queries, RangeSource, ReadOptions,
    Unjudged, WriteOptions, read, write,
};
use featherank::engine::passes::Moments;
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::registry::{Category, selector};
use featherank::run::{Constraints, Run, Silent};
use featherank::shards::{RemoteEngine, Shard, ShardTransport, StreamEngine};
use parquet::arrow::ArrowWriter;

use crate::engine::{CountDocuments, passes};

/// Shards in this process, which exchange the same bytes as remote ones.
struct InProcess(Vec<Shard>);

impl ShardTransport for InProcess {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn ask(
        &self,
        requests: Vec<Vec<u8>>,
        done: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<Vec<Vec<u8>>> {
        let reply = |(number, request): (usize, &Vec<u8>)| {
            done(number as u64)?;
            self.0[number].reply(request)
        };
        requests.iter().enumerate().map(reply).collect()
    }
}

fn data() -> Dataset {
    // Enough documents for several blocks.
    let config = SynthConfig {
        queries: 600,
        documents: 30_000,
        max_documents: 200,
        ..SynthConfig::default()
    };
    generate(&config).unwrap().0
}

/// The rows of a range as a data set of their own, even if that cuts queries.
fn rows(data: &Dataset, range: Range<usize>) -> Dataset {
    let queries = data.queries();
    let cut = |rows: Range<usize>| rows.start.max(range.start)..rows.end.min(range.end);
    let inside: Vec<usize> =
        (0..queries.len()).filter(|&q| !cut(queries.rows(q)).is_empty()).collect();
    let sizes: Vec<usize> = inside.iter().map(|&q| cut(queries.rows(q)).len()).collect();
    let ids = inside.iter().map(|&q| queries.id(q).to_owned()).collect();
    let columns = (0..data.features().len()).map(FeatureId::from);
    let values = columns.flat_map(|f| data.column(f)[range.clone()].to_vec()).collect();
    let labels = data.labels()[range.clone()].to_vec();
    Dataset::new(values, labels, Queries::new(&sizes, ids), data.features().clone())
}

/// A table whose columns are in another order selects the same features, in memory and in pieces.
#[test]
fn permuted_tables_give_the_same_answers() {
    let (folder, data) = (tempfile::tempdir().unwrap(), data());
    let names = (0..data.features().len()).map(|i| format!("x{}", i * 7 % 40)).collect();
    let data = data.with_names(names);
    let file = |name: &str, order: Vec<FeatureId>| {
        let labels = order.iter().map(|&f| data.features().label(f)).collect();
        let table = FeatureTable::named(labels);
        let values = order.iter().flat_map(|&f| data.column(f)).copied().collect();
        let data = Dataset::new(values, data.labels().to_vec(), data.queries().clone(), table);
        let path = folder.path().join(name);
        write(&data, &path, &WriteOptions::default()).unwrap();
        path
    };
    let order = data.features().identity_order();
    let mut reversed = order.clone();
    reversed.reverse();
    let files = [file("a.parquet", order), file("b.parquet", reversed)];
    let options = ReadOptions::default();
    let read_all = files.each_ref().map(|path| read(&[path], &options).unwrap());
    assert_ne!(read_all[0].features(), read_all[1].features(), "ids are places in the file");
    assert_eq!(read_all[1].features().by_id()[0].index(), read_all[1].features().len() - 1);
    let chosen = |engine: &dyn Engine| {
        let constraints = Constraints { k: Some(8), ..Constraints::default() };
        let run = Run::new(1, constraints);
        let selection = selector("best-gain").unwrap().run(&[], &run, engine).unwrap();
        let chosen = selection.selected.into_iter();
        (selection.data, chosen.map(|one| (one.name, one.score)).collect::<Vec<_>>())
    };
    let expected = chosen(&LocalEngine::new(read_all[0].clone(), 1).unwrap());
    for path in &files {
        let data = read(&[path], &options).unwrap();
        assert_eq!(chosen(&LocalEngine::new(data, 2).unwrap()), expected, "{path:?}");
        let parts = Parts::open(vec![PartSource::File(path.clone())], &options).unwrap();
        let engine = StreamEngine::open(parts, 1 << 20, 2, Arc::new(Silent)).unwrap();
        assert_eq!(chosen(&engine), expected, "{path:?} in pieces");
    }
}

/// The data in three files whose boundaries lie within queries.
fn files(folder: &Path, data: &Dataset) -> Vec<PathBuf> {
    let amid = |query: usize| data.queries().rows(query).start + 1;
    let borders = [0, amid(100), amid(350), data.documents()];
    let file = |(number, border): (usize, &[usize])| {
        let path = folder.join(format!("part-{number}.parquet"));
        write(&rows(data, border[0]..border[1]), &path, &WriteOptions::default()).unwrap();
        path
    };
    borders.windows(2).enumerate().map(file).collect()
}

fn sources(files: &[PathBuf]) -> Vec<PartSource> {
    files.iter().cloned().map(PartSource::File).collect()
}

fn streamed(files: &[PathBuf], memory: u64) -> StreamEngine {
    let parts = Parts::open(sources(files), &ReadOptions::default()).unwrap();
    StreamEngine::open(parts, memory, 2, Arc::new(Silent)).unwrap()
}

fn sharded(files: &[PathBuf], count: usize, memory: u64) -> Result<RemoteEngine> {
    let shard = |_| Shard::open(sources(files), &ReadOptions::default(), memory, 1).unwrap();
    let shards = InProcess((0..count).map(shard).collect());
    RemoteEngine::open(Arc::new(shards), memory, Arc::new(Silent))
}

/// Also equal for NaN, which differs from itself.
fn same(a: &impl std::fmt::Debug, b: &impl std::fmt::Debug) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

const PLENTY: u64 = 1 << 30;

#[test]
fn pieces_and_shards_answer_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path(), &data());
    let local = LocalEngine::new(read(&files, &ReadOptions::default()).unwrap(), 2).unwrap();
    let few = streamed(&files, 1 << 20);
    assert!(few.pieces().0 > 5 && few.pieces().1 < few.pieces().0, "{:?}", few.pieces());
    let engines: Vec<Box<dyn Engine>> = vec![
        Box::new(few),
        Box::new(streamed(&files, PLENTY)),
        Box::new(sharded(&files, 1, PLENTY).unwrap()),
        Box::new(sharded(&files, 2, PLENTY).unwrap()),
        Box::new(sharded(&files, 5, 1 << 20).unwrap()),
        Box::new(sharded(&files, 70, PLENTY).unwrap()),
    ];
    for engine in &engines {
        assert_eq!(engine.schema(), local.schema());
        assert!(engine.local().is_none());
    }
    for pass in passes() {
        let expected = (pass.answer)(&local);
        for (number, engine) in engines.iter().enumerate() {
            assert_eq!((pass.answer)(engine.as_ref()), expected, "engine {number}: {}", pass.name);
        }
    }
    // Pieces are read in this process and run any pass; shards run the passes that they know.
    assert_eq!(engines[0].ask(&CountDocuments).unwrap().0, local.schema().documents());
    let error = engines[3].ask(&CountDocuments).unwrap_err().to_string();
    assert!(error.contains("shards do not know the pass `count-documents`"), "{error}");
}

/// Methods of every kind, on pieces and on shards: the whole document. tests/elsewhere.rs covers
/// all methods.
#[test]
fn methods_choose_the_same_on_pieces_and_on_shards() {
    let config = SynthConfig { queries: 200, documents: 9_000, noisy: 4, ..SynthConfig::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    write(&generate(&config).unwrap().0, &path, &WriteOptions::default()).unwrap();
    let files = [path];
    let local = LocalEngine::new(read(&files, &ReadOptions::default()).unwrap(), 2).unwrap();
    let (few, shards) = (streamed(&files, 1 << 18), sharded(&files, 2, PLENTY).unwrap());
    assert!(few.pieces().1 < few.pieces().0, "{:?}", few.pieces());
    let run = Run::new(1, Constraints { k: Some(4), ..Constraints::default() });
    for (method, set) in [
        ("top-k", &[][..]),
        ("best-gain", &[]),
        ("mrmr", &[]),
        ("greedy-rankrls", &[]),
        ("l1-svm", &[]),
        ("spea2", &[("population", "10"), ("archive", "10"), ("generations", "3")]),
        ("btfs", &[("ranker", "linear-regression")]),
        ("greedy", &[("ranker", "rankrls")]),
        ("auto", &[("ranker", "rankrls"), ("methods", "elimination,top-k")]),
    ] {
        let spec = selector(method).unwrap();
        let set: Vec<(String, String)> =
            set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let chosen = |engine: &dyn Engine| spec.run(&set, &run, engine).unwrap().to_json().unwrap();
        let expected = chosen(&local);
        assert_eq!(chosen(&shards), expected, "{method}");
        // Solvers make a thousand passes over the rows, which would all be read again.
        if spec.category == Category::Filter {
            assert_eq!(chosen(&few), expected, "{method}");
        }
    }
}

/// Bytes that are read range by range, as from an object store.
struct Ranges(Vec<u8>);

impl RangeSource for Ranges {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_range(&self, start: u64, length: usize) -> std::io::Result<bytes::Bytes> {
        Ok(bytes::Bytes::copy_from_slice(&self.0[start as usize..start as usize + length]))
    }
}

#[test]
fn remote_files_are_read_range_by_range() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path(), &data());
    let expected = read(&files, &ReadOptions::default()).unwrap();
    let elsewhere = |path: &PathBuf| {
        let bytes = Arc::new(Ranges(std::fs::read(path).unwrap()));
        PartSource::Elsewhere(path.display().to_string(), bytes)
    };
    let parts =
        Parts::open(files.iter().map(elsewhere).collect(), &ReadOptions::default()).unwrap();
    assert_eq!(parts.read(0..parts.rows()).unwrap(), expected);
    assert_eq!(parts.rows() as usize, expected.documents());
}

/// Documents without a label are left out, for any boundaries.
#[test]
fn unlabelled_documents_are_left_out_of_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.parquet");
    let rows = 20_000;
    let column = |cells: &dyn Fn(i32) -> Option<i32>| -> ArrayRef {
        Arc::new(Int32Array::from_iter((0..rows).map(cells)))
    };
    let table = RecordBatch::try_from_iter_with_nullable([
        // All of query 0 is unlabelled, and the last document of every query.
        ("label", column(&|row| (row >= 9 && row % 9 != 8).then_some(row * 7 % 5)), true),
        ("qid", column(&|row| Some(row / 9)), false),
        ("bm25", column(&|row| Some(row)), false),
    ]);
    let table = table.unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, table.schema(), None).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    let options = ReadOptions { unjudged: Unjudged::Drop, ..ReadOptions::default() };
    let local = LocalEngine::new(read(&[&path], &options).unwrap(), 2).unwrap();
    let parts = Parts::open(sources(&[path]), &options).unwrap();
    let engine = StreamEngine::open(parts, 1 << 16, 2, Arc::new(Silent)).unwrap();
    assert!(engine.pieces().0 > 3);
    assert_eq!(engine.schema(), local.schema());
    assert!(same(&engine.ask(&Moments).unwrap(), &local.ask(&Moments).unwrap()));
}

#[test]
fn scattered_queries_and_other_mistakes_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let data = data();
    let files = files(folder.path(), &data);
    let twice = [files[0].clone(), files[2].clone(), files[0].clone()];
    let error = sharded(&twice, 2, PLENTY).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("appears again") && error.contains("part-0.parquet, line 1"), "{error}");
    assert!(error.contains("pl.scan_parquet") && error.contains("sort('qid')"), "{error}");
    let open = |files: &[PathBuf], options: &ReadOptions| {
        Parts::open(sources(files), options).map(|_| ()).unwrap_err().to_string()
    };
    assert!(open(&[], &ReadOptions::default()).contains("no input"));
    let regroup = ReadOptions { regroup: true, ..ReadOptions::default() };
    assert!(open(&files, &regroup).contains("sort the data by query first"));
    assert!(open(&["a.txt".into()], &ReadOptions::default()).contains("featherank convert"));
    assert!(open(&["none.parquet".into()], &ReadOptions::default()).contains("none.parquet"));
    let narrow = folder.path().join("narrow.parquet");
    let one = data.view().features()[..1].to_vec();
    let column = data.column(one[0]).to_vec();
    let labels = data.labels().to_vec();
    let table = featherank::data::FeatureTable::numbered(1, 1);
    let narrow_data = Dataset::new(column, labels, data.queries().clone(), table);
    write(&narrow_data, &narrow, &WriteOptions::default()).unwrap();
    assert!(open(&[files[0].clone(), narrow], &ReadOptions::default()).contains("narrow.parquet"));
}

/// A shard replies to any message, and never with an answer to another request.
#[test]
fn shards_reject_unknown_requests() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path(), &data());
    let shard = Shard::open(sources(&files), &ReadOptions::default(), PLENTY, 1).unwrap();
    for request in [&b""[..], b"GET / HTTP/1.1", b"\x80\x04\x95pickle", b"ftrk\x09\x00\x00"] {
        let reply = String::from_utf8_lossy(&shard.reply(request).unwrap()).into_owned();
        assert!(reply.contains("install the same release"), "{reply}");
    }
    struct Babbling(Vec<u8>);
    impl ShardTransport for Babbling {
        fn count(&self) -> usize {
            1
        }
        fn ask(
            &self,
            _: Vec<Vec<u8>>,
            _: &(dyn Fn(u64) -> Result<()> + Sync),
        ) -> Result<Vec<Vec<u8>>> {
            Ok(vec![self.0.clone()])
        }
    }
    // The reply to an empty request, and bytes that are not a message.
    for reply in [shard.reply(b"").unwrap(), b"hello".to_vec()] {
        let error = RemoteEngine::open(Arc::new(Babbling(reply)), PLENTY, Arc::new(Silent));
        let error = error.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("shard 1: "), "{error}");
    }
}
