"""Results as dots with intervals, read back from the HTML."""

import re

import pytest

from attnviz.charts.dots import Dot, dots

ROWS = [
    Dot("with attention", 81.0, 80.0, 83.0, 5, claimed=81.46),
    Dot("control & kin", 88.0, 88.0, 88.0, 1, control=True),
    Dot("untold", 70.0, 60.0, 80.0, 3, control=True),
]


def rows_of(html: str) -> list[str]:
    return re.findall(r"<li title=.*?</li>", html)


def left(html: str, kind: str) -> float:
    (found,) = re.findall(rf'class="dots-{kind}" style="left:([\d.-]+)%', html)
    return float(found)


def test_marks_lie_where_their_values_say_on_one_scale_for_all_rows() -> None:
    html = dots(ROWS, axis="accuracy")
    first, second, third = rows_of(html)
    ticks = {float(text): float(at) for at, text in re.findall(r'<b style="left:([\d.]+)%">([\d.]+)</b>', html)}
    assert len(ticks) >= 2
    (low, at_low), *_, (high, at_high) = sorted(ticks.items())

    def expected(value: float) -> float:
        return at_low + (value - low) * (at_high - at_low) / (high - low)

    assert left(first, "mechanism") == pytest.approx(expected(81), abs=0.02)
    assert left(first, "claimed") == pytest.approx(expected(81.46), abs=0.02)
    assert left(second, "control") == pytest.approx(expected(88), abs=0.02)
    (at, width) = re.findall(r'class="dots-range" style="left:([\d.]+)%;width:([\d.]+)%', third)[0]
    assert (float(at), float(at) + float(width)) == pytest.approx((expected(60), expected(80)), abs=0.03)
    for row in (first, second, third):
        for at in ticks.values():
            assert f'class="dots-tick" style="left:{at}%"' in row.replace(".0%", "%").replace(f"{at:.1f}%", f"{at}%")


def test_a_model_that_was_trained_once_has_no_bar_and_says_so() -> None:
    _, second, third = rows_of(dots(ROWS, axis="accuracy"))
    assert "dots-range" not in second
    assert 'title="88.00, one seed"' in second
    assert 'title="70.00, 60.00 to 80.00 over 3 seeds"' in third


def test_every_row_has_its_name_and_its_mean_in_words_in_the_order_given() -> None:
    html = dots(ROWS, axis="accuracy, %")
    said = [re.sub("<[^>]+>", " ", row).split() for row in rows_of(html)]
    assert said == [["with", "attention", "81.00"], ["control", "&amp;", "kin", "88.00"], ["untold", "70.00"]]
    assert "<strong>accuracy, %</strong>" in html


def test_a_name_leads_to_its_model_where_there_is_a_page() -> None:
    linked = Dot("a & b", 81.0, 80.0, 83.0, 5, link="there?v=2&model=a")
    first, second = rows_of(dots([linked, ROWS[1]], axis="accuracy"))
    assert '<span><a href="there?v=2&amp;model=a" target="_self">a &amp; b</a></span>' in first
    assert "<a " not in second


def test_the_legend_names_what_is_drawn_and_nothing_else() -> None:
    def legend(html: str) -> list[str]:
        return re.findall(r"</i>([^<]+)</span>", html.partition("<ul")[0])

    assert legend(dots(ROWS, axis="a")) == ["with the mechanism", "control", "the paper"]
    assert legend(dots(ROWS[1:], axis="a")) == ["control"]
    assert legend(dots(ROWS[:1], axis="a", chance=10)) == ["with the mechanism", "the paper", "guessing"]


def test_guessing_lies_inside_the_scale() -> None:
    (row,) = rows_of(dots(ROWS[:1], axis="a", chance=10.0))
    assert 0 < left(row, "chance") < left(row, "mechanism") < 100


@pytest.mark.parametrize(("claimed", "side", "at"), [(9.99, "left", 0), (99.0, "right", 100)])
def test_what_a_paper_gives_far_beyond_what_was_measured_stands_at_the_edge_with_its_number(
    claimed: float, side: str, at: float
) -> None:
    measured = [Dot("low", 80.0, 80.0, 80.0, 1, claimed=81.0), Dot("high", 84.0, 84.0, 84.0, 1)]
    beyond = [*measured, Dot("beyond", 82.0, 82.0, 82.0, 1, claimed=claimed)]
    low, high, row = rows_of(dots(beyond, axis="a"))
    assert (left(row, "claimed"), left(row, "mechanism")) == (at, pytest.approx(50, abs=0.02))
    assert f'<small class="dots-{side}">{claimed:.2f}</small>' in row
    assert f"the paper: {claimed:.2f}" in row
    assert [low, high] == rows_of(dots(measured, axis="a")), "it leaves the scale alone"
    assert "<small" not in low


@pytest.mark.parametrize("value", [81.0, 0.5, 99_000.0])
def test_a_single_value_has_a_scale_too(value: float) -> None:
    html = dots([Dot("one", value, value, value, 1)], axis="a")
    assert left(html, "mechanism") == 50
    assert len(re.findall("<b style=", html)) >= 2


@pytest.mark.parametrize(
    ("lowest", "highest", "expected"),
    [
        (98.81, 99.10, ["98.8", "98.9", "99.0", "99.1"]),
        (77.67, 91.9, ["80", "85", "90"]),
        (10.0, 98.0, ["20", "40", "60", "80", "100"]),
    ],
)
def test_ticks_are_round_numbers(lowest: float, highest: float, expected: list[str]) -> None:
    html = dots([Dot("one", lowest, lowest, highest, 2)], axis="a")
    assert re.findall(r"<b [^>]+>([^<]+)</b>", html) == expected
