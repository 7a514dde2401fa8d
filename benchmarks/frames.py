"""Tables of the size of the large data, and what other libraries do with them."""

from __future__ import annotations

import os
from typing import Any

import polars as pl
from data import Files


def made(files: Files) -> dict[str, Any]:
    """Return the judgments and the run as frames, and paths of the run as Parquet and CSV."""
    text, number = pl.String, pl.Float64
    judged = _read(
        files.qrels, {"query_id": text, "_": text, "doc_id": text, "relevance": pl.Int64}
    )
    columns = {"query_id": text, "_": text, "doc_id": text, "_r": text, "score": number, "_t": text}
    run = _read(files.run, columns)
    paths = {kind: f"{files.run}.{kind}" for kind in ("parquet", "csv")}
    if not os.path.exists(paths["parquet"]):
        run.write_parquet(paths["parquet"])
    if not os.path.exists(paths["csv"]):
        run.write_csv(paths["csv"])
    return {"judged": judged, "run": run, **paths}


def _read(path: str, columns: dict[str, Any]) -> pl.DataFrame:
    kept = [name for name in columns if not name.startswith("_")]
    scan = pl.scan_csv(path, separator=" ", has_header=False, schema=columns, quote_char=None)
    return scan.select(kept).collect().rechunk()


def join(judged: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return the inner join of the two, as polars does it."""
    return run.join(judged, on=["query_id", "doc_id"])


def ir_measures(judged: Any, run: Any) -> list[float]:
    """Return what ir-measures makes of two pandas frames."""
    import ir_measures as peer

    measures = [peer.nDCG @ 10, peer.AP]
    found = peer.calc_aggregate(measures, judged, run)
    return [found[m] for m in measures]
