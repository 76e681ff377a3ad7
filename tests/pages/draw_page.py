"""The draw page alone, without the navigation."""

from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from attnviz.views.payload import unpack

PAGE = Path(__file__).parents[2] / "pages" / "05_draw.py"


def open_page(**words: str) -> AppTest:
    """Open the page at a URL of these words."""
    test = AppTest.from_file(str(PAGE), default_timeout=120)
    test.query_params.update(words)
    return run(test)


def run(test: AppTest) -> AppTest:
    """Run it once more; nothing may fail."""
    test.run()
    assert not test.exception
    return test


def pad(test: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what the pad is handed: header and arrays."""
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("drawing_pad")]
    return unpack(found.proto.bytes)
