"""Asking a net for derived values as the live channel does, without a request and a socket."""

from typing import Any

import numpy as np

from attnviz.subjects import net
from attnviz.ui.derived_values import find
from attnviz.ui.live.answer import Computed, ask_model
from attnviz.ui.live.request import Ask, DerivedWanted
from attnviz.ui.shared import cache


def ask_net(key: str, image: np.ndarray, wanted: dict[str, Any], **more: Any) -> Computed:
    """Return what a net answers to a picture.

    Args:
        key: of the net.
        image: uint8 (row, column, channel), as the net takes it.
        wanted: as in a request.
        **more: what else an ask has, such as edits and a seed.
    """
    ask = Ask.model_validate({"checkpoint": key, "wanted": wanted, **more})
    for one in ask.wanted.values():
        if isinstance(one, DerivedWanted):
            one.found_by(find)
    return ask_model(cache.single(net(key)), ask, image[None], {})
