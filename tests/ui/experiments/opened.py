"""The pixel page with an experiment open, run alone."""

from collections.abc import Mapping
from pathlib import Path

from streamlit.testing.v1 import AppTest

PAGE = Path(__file__).parents[3] / "pages" / "10_pixel_attention.py"


def opened(words: Mapping[str, str]) -> AppTest:
    """Return the page after its first run, on the strokes, with these words in its address."""
    test = AppTest.from_file(str(PAGE), default_timeout=120)
    test.query_params.update({"data": "strokes", **words})
    test.run()
    assert not test.exception
    return test
