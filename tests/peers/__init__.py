"""Adapters to other tools, one file each: the real tool computes, the adapter only carries.

Every adapter has ``TOOL``, ``version()``, ``FUNCTIONS`` (the tool's own name of a measure ->
``f(qrels, run, k)``, which returns the values of the queries and the tool's own mean, either of
them None where the tool gives none) and ``ACCEPTS``, with ``EXCEPT`` for single measures.
"""
