"""What the experiments look at."""

import numpy as np
import pytest

from attnviz import data


@pytest.fixture(scope="module")
def eight() -> int:
    """Return the number of a drawn 8."""
    return int(np.flatnonzero(data.load("strokes", "test", count=256).labels == 8)[0])
