"""Limits and resources: choices that cannot change a number and are not recorded."""

from __future__ import annotations

from rankstone.choices.base import Choices, at_least, option
from rankstone.frozen import frozen


@frozen(kw_only=True, eq=False, repr=False)
class Effort(Choices):
    """How much work may be done at once, and how much may be read."""

    title = "reading files"

    threads: int | None = option(
        None,
        "number of scanning threads (default: all cores)",
        kind="whole",
        check=at_least(1),
    )
    block_bytes: int | None = option(
        None,
        "size of the scores that Factors and Scorer make at a time, in bytes (default: 32 MiB, "
        "or 8 MiB for each core if that is more)",
        kind="whole",
        flag=None,
        check=at_least(1),
    )
    max_bytes: int | None = option(
        None,
        "maximum size of a file in bytes after decompression (default: 100 times its size, or "
        "64 MiB)",
        kind="whole",
        check=at_least(1),
    )
