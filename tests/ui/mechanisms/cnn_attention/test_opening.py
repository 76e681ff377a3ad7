"""The view with which the page opens shows something: where its head looks most, there is a value to take."""

import numpy as np

from attnviz.ui.mechanisms.cnn_attention import MECHANISM, blocks
from attnviz.ui.shared import inference


def test_the_head_that_home_leads_to_takes_something_wherever_it_looks() -> None:
    assert MECHANISM.home is not None
    words = MECHANISM.home.view
    view = blocks.view(inference.exactly(words["model"]), words["data"], words["number"])
    head = int(words["head"]) - 1
    strongest = np.argmax(view.query[head] @ view.key[head].T, axis=1)
    assert np.linalg.norm(view.value[head, strongest], axis=1).min() > 0.1
    assert view.label == view.classes[int(np.argmax(view.probabilities))] == "8"
