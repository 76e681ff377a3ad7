"""Numbers as a person reads them."""

import json
import math
from pathlib import Path

import pytest

from attnviz.errors import BadInput
from attnviz.ui.shared.wording import WORD_JOINER, share, short, told, verbatim


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0"), (-0.0, "0"), (0.00492, "0.004920"), (12.3, "12.30"), (-1.5, "\u22121.500"), (1234.5, "1234"),
        (99999, "99999"), (1.234e-7, "1.23\u00a0\u00d7\u00a010\u207b\u2077"),
        (-2e10, "\u22122.00\u00a0\u00d7\u00a010\u00b9\u2070"),
        (math.nan, "NaN"), (math.inf, "\u221e"), (-math.inf, "\u2212\u221e"),
    ],
)  # fmt: skip
def test_a_number_has_four_digits_at_most(value: float, expected: str) -> None:
    assert short(value) == expected


def test_a_share_is_written_as_in_the_browser() -> None:
    cases = json.loads((Path(__file__).parents[2] / "javascript" / "percentages.json").read_text())
    assert [share(value) for value, _ in cases] == [said for _, said in cases]
    assert share(math.nan) == "NaN"


def test_fewer_digits_on_demand() -> None:
    assert short(0.12345, 2) == "0.12"
    assert short(1.239e-9, 2) == "1.2\u00a0\u00d7\u00a010\u207b\u2079"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("{kept}/a.mine/card.json is not a card.", "kept/a.mine/card.json is not a card."),
        ("The folder {kept} cannot be written: full.", "The folder kept cannot be written: full."),
        ("{cwd}/checkpoints/a.b/card.json: no", "checkpoints/a.b/card.json: no"),
        ("{home}/.local/share/x: no", ".local/share/x: no"),
        ("/srv/models/of mine/x is cut, /a/b/c.npy too.", "models/of mine/x is cut, b/c.npy too."),
        ("{tmp}/where they are/runs/a/log.txt is none.", "runs/a/log.txt is none."),
        ("/srv/our models/net.py is none.", "net.py is none."),
        ("See https://a.org/b/c/d or /help; 3/4 and w/o.", "See https://a.org/b/c/d or /help; 3/4 and w/o."),
    ],
)
def test_where_files_lie_on_the_server_is_not_told(
    said: str, shown: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "kept"))
    (tmp_path / "where they are").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "where they are")
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "link" / "runs"))
    monkeypatch.setenv("ATTNVIZ_MODEL", "/srv/our models/net.py:made")
    given = said.format(kept=tmp_path / "kept", cwd=Path.cwd(), home=Path.home(), tmp=tmp_path)
    assert told(BadInput(given)) == shown
    assert verbatim(given) == verbatim(shown)


def test_verbatim_escapes_all_markup_and_breaks_urls() -> None:
    shown = verbatim("a_b [c](http://d.e) $f$ :red[g] <h> 1.5 Zürich")
    plain = shown.replace("\\", "").replace(WORD_JOINER, "")
    assert plain == "a_b [c](http://d.e) $f$ :red[g] <h> 1.5 Zürich"
    assert all(shown[index - 1] == "\\" for index, sign in enumerate(shown) if sign in "_[]()$:<>/.")
    assert f"{WORD_JOINER}\\/\\/" in shown


@pytest.mark.parametrize("word", ["x" * 6000, "x " * 3000, "😀" * 6000])
def test_what_is_too_long_is_cut(word: str) -> None:
    shown = verbatim(f"The URL asks for {word}").replace("\\", "")
    assert len(shown) < 1100
    assert shown.endswith("…")
    assert verbatim("x" * 100) == "x" * 100
