"""The table of verdicts, read back from the HTML."""

import re

from attnviz.charts.tables import Line, Side, verdicts

ONE = Side("Model & co", "90.14 %", "Fashion-MNIST, 5 seeds", "there?v=2&model=a.b")
OTHER = Side("Its control", "89.80 %", "5 seeds")
LINES = [
    Line("A mechanism", "there", ONE, OTHER, "+0.34 (-0.17 to +0.85)", "no difference", ["epochs 10 against 20"]),
    Line("Another", "elsewhere", ONE, None, "", "no control yet"),
]


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [
        [re.sub(" +", " ", re.sub("<[^>]+>", " ", one)).strip() for one in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]


def test_each_row_has_both_sides_the_difference_what_else_differs_and_one_word() -> None:
    head, first, second = cells(verdicts(LINES))
    assert head == ["Mechanism", "With it", "Without it", "Difference in points, 95 % interval", "Verdict"]
    assert first == [
        "A mechanism", "90.14 % Model &amp; co Fashion-MNIST, 5 seeds", "89.80 % Its control 5 seeds",
        "+0.34 (-0.17 to +0.85) differs: epochs 10 against 20", "no difference",
    ]  # fmt: skip
    assert second[2:] == ["not trained", "", "no control yet"]


def test_names_lead_to_their_pages_in_the_same_window_where_there_is_one() -> None:
    html = verdicts(LINES[:1])
    assert re.findall(r'<a href="([^"]+)" target="_self">([^<]+)</a>', html) == [
        ("there", "A mechanism"),
        ("there?v=2&amp;model=a.b", "Model &amp; co"),
    ]


def test_a_phone_which_has_no_head_says_it_before_each_value() -> None:
    heads = cells(verdicts(LINES))[0][1:]
    assert re.findall(r'data-head="([^"]+)"', verdicts(LINES[:1])) == heads
