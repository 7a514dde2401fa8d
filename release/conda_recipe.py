"""Print the recipe for conda-forge with the version and the checksum of a source archive.

python release/conda_recipe.py dist/rankstone-1.0.tar.gz > dist/recipe.yaml
"""

from __future__ import annotations

import hashlib
import os
import sys

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipe.yaml")


def recipe(archive: str) -> str:
    """Return the recipe that builds a source archive."""
    version = os.path.basename(archive).removeprefix("rankstone-").removesuffix(".tar.gz")
    with open(archive, "rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
    with open(TEMPLATE, encoding="utf-8") as stream:
        text = stream.read()
    return text.replace("{version}", version).replace("{sha256}", checksum)


if __name__ == "__main__":
    print(recipe(sys.argv[1]), end="")
