"""The same judgments and run in every text format, in every kind of frame and table file."""

import json

import duckdb
import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, parquet

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "ERR", "NumRet", "NumRelRet"]
# A grade of 0 is written wherever a format can hold it.
JUDGED = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d3": 0.5, "d1": 1}, "10": {"7": 3, "8": 0}}
RANKED = {"q1": ["d2", "d1", "d9"], "q2": ["d3", "d4"], "10": ["8", "7"], "q9": ["d1"]}


def scored(ranked):
    """Give each document a score that keeps the order."""
    return {q: {d: float(len(docs) - i) for i, d in enumerate(docs)} for q, docs in ranked.items()}


SCORED = scored(RANKED)


def pairs(data):
    return [(q, d, n) for q, docs in data.items() for d, n in docs.items()]


def lines(form, rows):
    return "".join(form.format(q=q, d=d, n=n) + "\n" for q, d, n in rows)


def jsonl(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def number(text):
    return int(text) if text.isdigit() else text


JUDGMENT_FILES = {
    "trec": lambda judged: lines("{q} 0 {d} {n}", pairs(judged)),
    "three columns": lambda judged: lines("{q} {d} {n}", pairs(judged)),
    "beir": lambda judged: "query-id\tcorpus-id\tscore\n" + lines("{q}\t{d}\t{n}", pairs(judged)),
    "json": lambda judged: json.dumps(judged),
    "json, indented": lambda judged: json.dumps(judged, indent=2),
    "json records": lambda judged: json.dumps(
        [{"qid": number(q), "docno": number(d), "rel": n} for q, d, n in pairs(judged)]
    ),
    "json data set": lambda judged: json.dumps({"queries": {}, "corpus": {}, "relevant_docs": judged}),
    "jsonl rows": lambda judged: jsonl(
        {"query_id": q, "doc_id": d, "relevance": n} for q, d, n in pairs(judged)
    ),
    "jsonl lists": lambda judged: jsonl(
        {"query_id": q, "qrels": [{"id": d, "rating": n} for d, n in docs.items()]}
        for q, docs in judged.items()
    ),
    "letor": lambda judged: lines("{n} qid:{q} 1:0.5 2:1e-3 #docid = {d} inc = 1", pairs(judged)),
    "letor, quepid's": lambda judged: lines("{n} qid:{q} # {d} some text", pairs(judged)),
    "quepid": lambda judged: "query,docid,rating\n" + lines('"{q}",{d},{n}', pairs(judged)) + "q1,dx,\n",
    "rank-eval": lambda judged: json.dumps(
        {
            "requests": [
                {"id": q, "request": {}, "ratings": [{"_index": "i", "_id": d, "rating": n}
                                                      for d, n in docs.items()]}
                for q, docs in judged.items()
            ]
        }
    ),
    "opensearch": lambda judged: json.dumps(
        {
            "judgmentRatings": [
                {"query": q, "ratings": [{"docId": d, "rating": str(n)} for d, n in docs.items()]}
                for q, docs in judged.items()
            ]
        }
    ),
    "rre": lambda judged: json.dumps(
        {
            "index": "i",
            "topics": [
                {
                    "query_groups": [
                        {
                            "name": "group of " + q,
                            "queries": [{"template": "t", "placeholders": {"$query": q}}],
                            "relevant_documents": {d: {"gain": n} for d, n in docs.items()},
                        }
                        for q, docs in judged.items()
                    ]
                }
            ],
        }
    ),
    "vespa": lambda judged: json.dumps(
        [
            {
                "query_id": number(q),
                "query": "text",
                "relevant_docs": [{"id": number(d), "score": n} for d, n in docs.items()],
            }
            for q, docs in judged.items()
        ]
    ),
}  # fmt: skip
RUN_FILES = {
    "trec": lambda ranked: lines("{q} Q0 {d} 1 {n} tag", pairs(scored(ranked))),
    "five columns": lambda ranked: lines("{q} Q0 {d} 1 {n}", pairs(scored(ranked))),
    "msmarco": lambda ranked: lines(
        "{q}\t{d}\t{n}", [(q, d, i + 1) for q, docs in ranked.items() for i, d in enumerate(docs)]
    ),
    "header": lambda ranked: (
        "query_id doc_id score\n" + lines("{q} {d} {n}", pairs(scored(ranked)))
    ),
    "json": lambda ranked: json.dumps(scored(ranked)),
    "json lists": lambda ranked: json.dumps(ranked),
    "json of records": lambda ranked: json.dumps(
        {
            q: [{"doc_id": d, "score": n} for d, n in docs.items()]
            for q, docs in scored(ranked).items()
        }
    ),
    "jsonl rows": lambda ranked: jsonl(
        {"query_id": number(q), "doc_id": d, "score": n} for q, d, n in pairs(scored(ranked))
    ),
    "jsonl ranks": lambda ranked: jsonl(
        {"qid": q, "docid": d, "rank": i + 1}
        for q, docs in ranked.items()
        for i, d in enumerate(docs)
    ),
    "jsonl lists": lambda ranked: jsonl(
        {"query_id": q, "retrieved_ids": d} for q, d in ranked.items()
    ),
    "jsonl scores": lambda ranked: jsonl(
        {"query_id": q, "results": d} for q, d in scored(ranked).items()
    ),
    "rank-eval": lambda ranked: json.dumps(
        {
            "metric_score": 0.5,
            "details": {
                q: {"hits": [{"hit": {"_id": d, "_score": None}, "rating": None} for d in docs]}
                for q, docs in ranked.items()
            },
        }
    ),
}


class Stream:
    """Something that has the Arrow stream interface and nothing else."""

    def __init__(self, columns):
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def chunked(columns):
    table = pa.table(columns)
    cuts = [table.slice(i, 2) for i in range(0, table.num_rows, 2)]
    return pa.concat_tables(cuts)


def cast(kind):
    def make(columns):
        table = pa.table(columns)
        for i, field in enumerate(table.schema):
            if pa.types.is_string(field.type):
                table = table.set_column(i, field.name, table.column(i).cast(kind))
        return table

    return make


def texts_as(kind):
    return lambda columns: pd.DataFrame(columns).astype(
        {n: kind for n, v in columns.items() if isinstance(v[0], str)}
    )


def categorical(columns):
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.col(pl.String).cast(pl.Categorical))


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas object": texts_as(object),
    "pandas string": texts_as("string"),
    "pandas string[python]": texts_as("string[python]"),
    "pandas category": lambda c: pd.DataFrame(c).astype(dict.fromkeys(list(c)[:2], "category")),
    "pandas arrow": lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow"),
    "pandas nullable": lambda c: pd.DataFrame(c).convert_dtypes(),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars categorical": categorical,
    "pyarrow": pa.table,
    "pyarrow chunks": chunked,
    "pyarrow sliced": lambda c: pa.table({n: [v[0], *v] for n, v in c.items()}).slice(1),
    "pyarrow large": cast(pa.large_string()),
    "pyarrow view": cast(pa.string_view()),
    "pyarrow dictionary": cast(pa.dictionary(pa.int8(), pa.string())),
    "pyarrow reader": lambda c: pa.table(c).to_reader(),
    "stream": Stream,
    "duckdb": lambda c: duckdb.from_arrow(pa.table(c)),
    "narwhals": lambda c: nw.from_native(pl.DataFrame(c)),
    "narwhals lazy": lambda c: nw.from_native(pl.LazyFrame(c)),
}


def columns_of(data, number, order=None):
    rows = [(q, d, v) for q, docs in data.items() for d, v in docs.items()]
    if order is not None:
        rows = [rows[i] for i in order]
    queries, docs, values = zip(*rows, strict=True)
    return {"query_id": list(queries), "doc_id": list(docs), number: list(map(float, values))}


def _arrow_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as out:
        out.write_table(table)


TABLES = {
    "parquet": parquet.write_table,
    "feather": feather.write_feather,
    "arrow": lambda t, p: feather.write_feather(t, p, compression="uncompressed"),
    "arrow stream": _arrow_stream,
    "csv": lambda t, p: pl.from_arrow(t).write_csv(p),
    "csv, semicolons": lambda t, p: pl.from_arrow(t).write_csv(p, separator=";"),
    "tsv": lambda t, p: pl.from_arrow(t).write_csv(p, separator="\t"),
    "csv.gz": lambda t, p: pd.DataFrame(t.to_pandas()).to_csv(p, index=False, compression="gzip"),
}
