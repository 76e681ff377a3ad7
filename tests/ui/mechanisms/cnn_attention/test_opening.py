"""The view with which the page opens shows something: where its head looks most, there is a value to take."""

import numpy as np

from attnviz.subjects import Picture, Subject, net
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.mechanisms.cnn_attention import MECHANISM


def test_the_head_that_home_leads_to_takes_something_wherever_it_looks() -> None:
    assert MECHANISM.home is not None
    words = MECHANISM.home.view
    view = attention(Subject(net(words["model"]), Picture(words["data"], words["number"])), "block")
    head = int(words["head"]) - 1
    strongest = np.argmax(view.query[head] @ view.key[head].T, axis=1)
    assert np.linalg.norm(view.value[head, strongest], axis=1).min() > 0.1
    assert view.label == view.classes[int(np.argmax(view.probabilities))] == "8"
