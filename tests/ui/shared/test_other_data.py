"""Findings of networks that were trained on other data than the model that is looked at."""

from attnviz.subjects import net
from attnviz.ui.shared.results.verdict import beside


def test_a_finding_of_other_data_than_the_model_s_says_so_first() -> None:
    digits = net("cnn_attention.digits")
    assert beside("**Yes**", digits, "mnist") == "**Yes**"
    note, finding = beside("**Yes**", digits, "cluttered_mnist").split("\n\n")
    assert note == "Measured with networks that were trained on Cluttered MNIST, not on the data of the model above."
    assert finding == "**Yes**"
