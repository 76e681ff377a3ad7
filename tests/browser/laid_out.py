"""What a page looks like, measured: what a finger can hit, and whether all words can be read."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

FINGER = 40  # CSS pixels of a target, both ways
CLEAR = 24  # CSS pixels around a smaller one

_MEASURES = Path(__file__).with_suffix(".js").read_text()


def find_small_targets(page: Page) -> list[str]:
    """Return what a finger may miss: targets smaller than `FINGER` with another one nearer than `CLEAR`.

    What can be hit is measured point by point, so that room around a mark counts where it belongs to the target. Words
    in a sentence that can be clicked are as high as their line.
    """
    return _measure(page, "smallTargets", [FINGER, CLEAR])


def find_cut_words(page: Page) -> list[str]:
    """Return the words of which a part cannot be seen, as something or the window cuts them off."""
    return _measure(page, "cutWords")


def find_overprinted_words(page: Page) -> list[str]:
    """Return the pairs of words of which one lies on the other."""
    return _measure(page, "overprintedWords")


def find_words_hidden_sideways(page: Page) -> list[str]:
    """Return what is wider than its place, so that its end can only be read by scrolling sideways."""
    return _measure(page, "hiddenSideways")


def _measure(page: Page, measure: str, sizes: Any = None) -> list[str]:
    return [str(line) for line in page.evaluate(f"(sizes) => {{ {_MEASURES}\nreturn {measure}(sizes); }}", sizes)]
