"""Adapters to other tools, one file each: the real tool computes, the adapter only carries.

The adapter of a tool is called like the tool, without its version. It has

- ``version()``, which raises ImportError if the tool is not installed;
- ``FUNCTIONS``: a name of the tool's -> ``f(qrels, run, k)``, which returns the values of the
  queries and the tool's own mean, either of them None if the tool gives none;
- ``ACCEPTS``, with ``EXCEPT`` for single names;
- ``registry()``: the names of measures that the installed tool itself lists.

If several versions are compared, ``VERSIONS`` has these by the name of the version.
"""
