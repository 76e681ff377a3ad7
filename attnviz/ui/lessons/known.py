"""What a lesson may name: the pages of the app, the terms of the glossary, and what components declare."""

from functools import lru_cache
from importlib import import_module

from attnviz.lessons import Known
from attnviz.ui.components.component import SHARED
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import glossary

OTHERS = {
    "": ("Home", "home.py"),
    "draw": ("Draw", "05_draw.py"),
    "explorer": ("Explorer", "00_explorer.py"),
    "train": ("Train", "80_train.py"),
    "results": ("Results", "85_results.py"),
}
"""The pages that belong to no mechanism, by the last part of their URL: title and file."""


@lru_cache(maxsize=1)
def known() -> Known:
    """Return what a lesson may name; importing the components' modules costs a moment the first time."""
    pages = {url: title for url, (title, _) in OTHERS.items()}
    pages |= {row.url: row.title for row in MECHANISMS.values()}
    pages |= {one.url: one.title for row in MECHANISMS.values() for one in row.further}
    names = [*SHARED, *(name for row in MECHANISMS.values() for name in row.components if "." not in name)]
    declared = {name: getattr(import_module(f"attnviz.ui.components.{name}"), "DECLARED", None) for name in names}
    listed = {name: values for name, values in declared.items() if values is not None}
    return Known(pages, glossary.anchor, listed)


def file_of(page: str) -> str:
    """Return the file of a page that a lesson may name."""
    if page in OTHERS:
        return OTHERS[page][1]
    files = {one.url: one.page for row in MECHANISMS.values() for one in row.further}
    return {**{row.url: row.page for row in MECHANISMS.values()}, **files}[page]
