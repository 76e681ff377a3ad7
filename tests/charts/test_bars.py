"""Numbers as bars, read back from the HTML."""

import re

import pytest

from attnviz.charts.bars import Row, bars

ROWS = [Row("with <attention>", (841546, 20e6), "95.1 %"), Row("plain", (4041898, 5e6), "not trained", control=True)]


def test_a_bar_is_as_long_as_its_share_of_the_longest_of_its_column() -> None:
    html = bars(ROWS, "network", ("parameters", "multiply-adds"), "accuracy")
    lengths = [float(length) for length in re.findall(r"width:([\d.]+)%", html)]
    assert lengths == pytest.approx([100 * 841546 / 4041898, 100, 100, 25], abs=0.01)
    assert re.findall(r"<b>([\d,]+)</b>", html) == ["841,546", "20,000,000", "4,041,898", "5,000,000"]
    assert re.findall(r"bars-(\w+)", html) == ["mechanism", "mechanism", "control", "control"]


def test_rows_and_columns_are_named_for_all() -> None:
    html = bars(ROWS, "network", ("parameters", "multiply-adds"), "accuracy")
    assert re.findall(r'scope="col">([^<]*)<', html) == ["network", "parameters", "multiply-adds", "accuracy"]
    assert re.findall(r'scope="row">([^<]*)<', html) == ["with &lt;attention&gt;", "plain"]
    assert html.index("95.1 %") < html.index("plain") < html.index("not trained")


def test_what_is_not_known_has_no_bar_and_says_so() -> None:
    html = bars([Row("one", (None,), ""), Row("two", (4,), "")], "network", ("minutes",), "")
    assert re.findall(r"width:([\d.]+)%", html) == ["100.00"]
    assert re.findall(r"<b>([^<]*)</b>", html) == ["not measured", "4"]


def test_nothing_at_all_has_no_length() -> None:
    assert "width:0.00%" in bars([Row("none", (0,), "")], "network", ("parameters",), "")


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.84, "0.84"),
        (99.54, "99.54"),
        (5.567, "5.567"),
        (7, "7"),
        (172218.4, "172,218"),
        (1e-5, "&lt; 0.001"),
        (0, "0"),
    ],
)
def test_a_number_that_is_not_whole_keeps_its_digits(value: float, printed: str) -> None:
    assert f"<b>{printed}</b>" in bars([Row("one", (value,), "")], "network", ("share",), "")


def test_columns_of_one_kind_are_drawn_on_one_scale() -> None:
    html = bars([Row("one", (90, 2), "")], "network", ("share", "by chance"), "", whole=100)
    assert re.findall(r"width:([\d.]+)%", html) == ["90.00", "2.00"]


def test_numbers_that_are_to_be_compared_have_as_many_decimals_each() -> None:
    html = bars(
        [Row("one", (2.7, None), ""), Row("two", (2.333, 10), "")], "angle", ("errors", "without"), "", decimals=2
    )
    assert re.findall(r"<b>([^<]*)</b>", html) == ["2.70", "not measured", "2.33", "10.00"]
