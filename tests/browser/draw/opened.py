"""The draw page with a panel of each kind, and what to draw on it."""

from typing import Any

import numpy as np
from playwright.sync_api import Page

from attnviz.data.inputs import digit

from ..cards import format_percent, wait_for_answers
from ..models import ON_CARDS
from ..pads import open_pad, read_raster

EIGHT = [(140, 50), (95, 90), (185, 180), (140, 230), (95, 180), (185, 90), (142, 52)]
ONE = [(140, 40), (142, 240)]
THREE = [(90, 60), (180, 70), (130, 135), (190, 190), (90, 230)]


def open_cards(page: Page, address: str, more: str = "") -> Page:
    """Open the draw page and wait until all models have looked at what it begins with."""
    open_pad(page, f"{address}?models={','.join(ON_CARDS)}{more}")
    wait_for_answers(page)
    return page


def prepare_picture(page: Page, *, centred: bool = True) -> np.ndarray:
    return digit.prepare(read_raster(page), centred=centred).picture


def describe_pinned(then: dict[str, Any], now: dict[str, Any]) -> str:
    """What a card says of the pinned answer."""
    named = "" if now["answer"] == then["answer"] else f"{then['answer']}, "
    return f"was {named}{format_percent(max(then['probabilities']))}"
