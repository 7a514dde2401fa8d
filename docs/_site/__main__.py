"""Build the site: ``python -m _site FOLDER`` with ``docs`` on the path."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from _site import (
    api_pages,
    command_pages,
    handwritten,
    json_pages,
    measure_pages,
    reference_pages,
)

_GENERATORS = (api_pages, command_pages, json_pages, measure_pages, reference_pages)


def write_sources(folder: Path) -> None:
    """Write every page of the site into a folder that Sphinx reads."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = handwritten.pages()
    for generator in _GENERATORS:
        pages |= generator.pages()
    for path, text in pages.items():
        page = folder / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    for picture in handwritten.DOCS.iterdir():
        if picture.suffix in (".png", ".svg"):
            shutil.copy(picture, folder)


def main(folder: str) -> int:
    """Build the site; a warning is an error."""
    from sphinx.cmd.build import main as sphinx

    target = Path(folder).resolve()
    sources = target.with_name(f"{target.name}-sources")
    if (target / "objects.inv").exists():  # an older site, whose pages may be gone
        shutil.rmtree(target)
    write_sources(sources)
    options = ["-W", "--keep-going", "-q", "-E", "-j", "2", "-c", str(Path(__file__).parent)]
    return sphinx([*options, str(sources), str(target)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "build/docs"))
