"""The page of an experiment, the pixel page or *The paper revisited*, with it open, run alone."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from attnviz.ui.mechanisms.pixel_attention.experiments.choice import OF_THE_PAPER
from attnviz.views.payload import unpack

PAGES = Path(__file__).parents[5] / "pages"


def opened(words: Mapping[str, str]) -> AppTest:
    """Return the page after its first run, on the strokes, with these words in its URL."""
    page = "15_paper.py" if words.get("experiment") in OF_THE_PAPER else "10_pixel_attention.py"
    test = AppTest.from_file(str(PAGES / page), default_timeout=120)
    test.query_params.update({"data": "strokes", **words})
    test.run()
    assert not test.exception
    return test


def component(test: AppTest, name: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Return what the page has sent to its only component whose name ends so."""
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith(name)]
    return unpack(found.proto.bytes)
