"""Makes the seeds in corpus-seeds/: python make_seeds.py (needs pyarrow).

The first byte of a seed chooses the options (crates/featherank-fuzz/src/readers.rs), the rest is
the file.
"""

import gzip
import io
import lzma
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).parent / "corpus-seeds"
# Bits of the first byte.
MISSING_ZERO, CLIP, DROP, ZERO_LABEL, REGROUP, ZERO_BASED = 1, 2, 4, 8, 16, 32
LENIENT = MISSING_ZERO | CLIP | ZERO_LABEL | REGROUP


def seed(target, name, choice, content):
    folder = ROOT / target
    folder.mkdir(parents=True, exist_ok=True)
    content = content.encode() if isinstance(content, str) else content
    assert len(content) < 4096, (name, len(content))
    (folder / name).write_bytes(bytes([choice]) + content)


def gz(content):
    return gzip.compress(content, mtime=0)


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def letor():
    rows = "2 qid:a 1:0.5 2:-3e-2 # docid = 7\n0 qid:a 1:1 2:1e30\n1 qid:b 1:.25 2:7.\n"
    seed("letor", "dense", 0, rows)
    seed("letor", "sparse", 64, "1 qid:1 3:1\n0 qid:1\n# nothing\n\n2 qid:2\t1:4 10000:2\r\n")
    seed("letor", "lenient", LENIENT, "1 qid:x 1:NULL #a\n-1 qid:y 1:inf\n0 qid:x 1:nan 2:-1e999\n")
    seed("letor", "zero_based", ZERO_BASED | DROP, "0 qid:1 0:1 1:2\n-1 qid:1 0:3 1:4\n")
    numbers = "1 qid:q 1:0.1 2:16777217 3:1e-45 4:-0 5:123456789012345678 6:9007199254740993 7:0.30000001192092896\n"
    seed("letor", "numbers", 64, numbers)
    for name, pack in [("gzip", gz), ("xz", lzma.compress), ("zstd", zstd)]:
        seed("letor", name, 0, pack(rows.encode()))
        # Small outside, large inside: more than a block without a line end, and many lines.
        seed("letor", f"{name}_line", 0, pack(b"1" * (3 << 20)))
        seed("letor", f"{name}_lines", 0, pack(b"0 qid:1 1:1\n" * 5_000))


def table():
    seed("table", "csv", 0, "label,qid,docid,a,b\n1,x,d1,0.5,2\n0,x,d2,1e-3,-4\n2,y,d3,7,8\n")
    seed("table", "semicolons", 0, "\ufefflabel;qid;a\n1;x;0.5\n0;x;2\n")
    seed("table", "quotes", LENIENT, 'label,"query",a,url\r\n1,"x\ny",,"a ""b"" c"\r\n\r\n-1,z,inf,\r\n')
    seed("table", "tsv", 64, "y\tgroup\t1\t2\n1\t7\t0.5\t2\n0\t7\t1\t3\n")
    seed("table", "named", 128, "a,b,qid,label\n1,x,7,3\n0,y,7,4\n")
    seed("table", "unclosed", 0, 'label,qid,a\n1,x,"5\n0,x,2\n')
    seed("table", "gzip", 0, gz(b"label,qid,a\n1,x,0.5\n0,x,2\n"))


def feature_log():
    elastic = (
        '{"qid":"x","hits":{"hits":[{"_id":"1","_source":{"label":2},"fields":{"_ltrlog":'
        '[{"log":[{"name":"a","value":1.5},{"name":"b","value":"2"}]}]}},{"_id":2,"label":["0"],'
        '"fields":{"_ltrlog":[{"log":[{"name":"a","value":3},{"name":"b","value":4}]}]}}]}}\n'
    )
    solr = (
        '{"responseHeader":{"params":{"qid":"y"}},"response":{"docs":[{"id":"1","grade":1,'
        '"[features]":"a=1,b=2"},{"id":"2","grade":0,"[features]":"b=3,a=4"}]}}\n'
    )
    sparse = '{"query_id":7,"response":{"docs":[{"id":"1","relevance":1,"[features]":"a:1 c:2"}]}}'
    seed("feature_log", "elastic", 0, elastic)
    seed("feature_log", "solr", 0, solr)
    seed("feature_log", "array", 0, f"[{elastic},\n{solr}]")
    seed("feature_log", "sparse", 0, sparse + sparse.replace("7", "8").replace("a:1", "d:5"))
    odd = '{"response":{"docs":[{"id":"1","qid":"z","[features]":""},{"id":"2","qid":"z","[features]":"a=NULL"}]}}'
    seed("feature_log", "odd", LENIENT, odd)
    seed("feature_log", "deep", 0, '{"a":' * 200)


def side_files():
    seed("side_files", "sizes", 0, "2\n# one query more\n1\n")
    seed("side_files", "sizes_with_none", 0, "0\n3\n0\n")
    seed("side_files", "names", 64, "bm25\npage rank\n")
    seed("side_files", "names_by_id", 64, "2\tpage rank\n1\tbm25\n")
    seed("side_files", "qrels", 128, "a 0 x 2\na 0 y 0\nb Q0 x 1\n")
    seed("side_files", "qrels_lenient", 128 | DROP, "a 0 x 2\na 0 y -1\n")
    seed("side_files", "scores", 192, "0.5\n-1e3\n7\n")
    seed("side_files", "run", 192, "a Q0 y 1 3.5 me\na Q0 x 2 1.5 me\nb Q0 x 1 2 me\n")
    seed("side_files", "gzip", 0, gz(b"2\n1\n"))


def costs():
    # No options, so no first byte. Other targets make their seeds themselves.
    (ROOT / "costs").mkdir(exist_ok=True)
    (ROOT / "costs" / "mixed").write_text("# milliseconds\nf1\t2.5\nf2, 0\nf0 1e3\n")


def parquet():
    ids = ["x", "x", "y"]
    # As featherank's own writer does it, with a note of what is what.
    note = '{"version":1,"label":"label","query":"qid","document":null,"features":[{"id":7,"name":"a"},{"id":9}]}'
    table = pa.table({"label": [1.0, 0.0, 2.0], "qid": ids, "a": [1.0, 2.0, 3.0], "9": [4.0, 5.0, 6.0]})
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"featherank": note}), out, store_schema=False)
    seed("parquet", "noted", 0, out.getvalue())
    columns = {
        "plain": {"label": pa.array([1, 0, 2], pa.int32()), "qid": ids, "a": pa.array([0.5, 1, 2], pa.float32())},
        "types": {
            "label": pa.array([True, False, True]),
            "qid": pa.array([1, 1, 2], pa.int64()),
            "docid": pa.array([b"p", b"q", b"r"], pa.binary()),
            "a": pa.array([1, None, 3], pa.int8()),
            "b": pa.array([0.5, float("nan"), 1e300], pa.float64()),
        },
        "nested": {"label": [1, 0, 2], "qid": ids, "a": [[1.0], [], [2.0, 3.0]]},
    }
    packings = {"NONE": {}, "SNAPPY": {}, "ZSTD": {}, "GZIP": {}, "LZ4": {}}
    packings["delta"] = {"use_dictionary": False, "column_encoding": "DELTA_BINARY_PACKED"}
    for name, table in columns.items():
        for packing, extra in packings.items():
            if packing == "delta":
                table = {"label": pa.array([1, 0, 2], pa.int32()), "qid": pa.array([4, 4, 9], pa.int64())}
                table["a"] = pa.array([1, 2, 3], pa.int32())
            if (name != "plain" and packing not in ("NONE", "ZSTD")) or (name == "nested" and packing != "NONE"):
                continue
            out = io.BytesIO()
            codec = packing if packing.isupper() else "NONE"
            version = "2.0" if packing in ("ZSTD", "delta") else "1.0"
            kept = pa.table(table).replace_schema_metadata(None)
            pq.write_table(
                kept, out, compression=codec, store_schema=False, data_page_version=version,
                write_statistics=False, row_group_size=2, **extra,
            )
            seed("parquet", f"{name}_{packing.lower()}", LENIENT, out.getvalue())


for make in (letor, table, feature_log, side_files, costs, parquet):
    make()
