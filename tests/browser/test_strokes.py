"""How a drawing is written and laid out in pixels, in the browser, against both written a second time."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.ui.strokes_format import UNITS, Stroke, encode, raster, straight

from .conftest import Serve, ready
from .pads import MODULES

SETUP = """async ([modules]) => {
  const strokes = await import(`${modules}/strokes.js`);
  const { Raster } = await import(`${modules}/raster.js`);
  const attempt = (act) => {
    try {
      return { found: act() };
    } catch (error) {
      return { refused: error instanceof strokes.BadDrawing, message: error.message };
    }
  };
  Object.assign(window, { strokes, Raster, attempt });
}"""
FAR = 560 * UNITS


def some(random: np.random.Generator, count: int) -> list[Stroke]:
    """Return strokes of all kinds, some of them far outside of the canvas."""
    found = []
    for _ in range(count):
        points = np.cumsum(random.integers(-60, 61, (random.integers(1, 40), 2)), 0) + random.integers(
            0, 280 * UNITS, 2
        )
        if random.random() < 0.1:
            points = random.integers(-FAR, FAR + 1, points.shape)
        pressures = tuple(int(one) for one in random.integers(0, 32, len(points))) if random.random() < 0.5 else None
        clipped = np.clip(points, -FAR, FAR)
        tool = "erase" if random.random() < 0.3 else "ink"
        found.append(Stroke(tool, int(random.integers(1, 65)), tuple((int(x), int(y)) for x, y in clipped), pressures))
    return found


@pytest.fixture(scope="module")
def lab(chromium: Browser, serve: Serve) -> Iterator[Page]:
    """Yield a page in which the modules are loaded; they keep nothing, so that one does for all tests."""
    page = chromium.new_page()
    page.goto(serve())
    ready(page)
    page.evaluate(SETUP, [f"/{MODULES}"])
    yield page
    page.close()


def test_a_drawing_is_written_as_described_and_read_again(lab: Page) -> None:
    random = np.random.default_rng(5)
    for drawing in [[], *[some(random, int(random.integers(1, 8))) for _ in range(40)]]:
        plain = [stroke.plain() for stroke in drawing]
        written = encode(drawing)
        assert lab.evaluate("(drawing) => strokes.encode(drawing)", plain) == written
        assert lab.evaluate("(written) => strokes.decode(written)", written) == plain


def test_whatever_is_changed_is_refused_in_words_and_nothing_else_happens(lab: Page) -> None:
    random = np.random.default_rng(6)
    alphabet = list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    words = []
    for _ in range(1000):
        letters = list(encode(some(random, int(random.integers(1, 4)))))
        at, kind = int(random.integers(len(letters))), random.integers(4)
        if kind == 0:
            letters[at] = random.choice([letter for letter in alphabet if letter != letters[at]])
        elif kind == 1:
            letters = letters[:at]
        elif kind == 2:
            letters.insert(at, random.choice(alphabet))
        else:
            letters = list(random.choice(alphabet, len(letters)))
        words.append("".join(letters))
    results = lab.evaluate("(words) => words.map((word) => attempt(() => strokes.decode(word)))", words)
    assert all(result.get("found") is not None or result["refused"] for result in results)
    read = [word for word, result in zip(words, results, strict=True) if result.get("found")]
    # A changed letter may lie in bits that base64 leaves over; a checksum of two bytes lets one in 65,000 through.
    assert all(lab.evaluate("(word) => strokes.encode(strokes.decode(word))", word)[:-1] == word[:-1] for word in read)
    assert len(read) < 20


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (bytes([2, 23, 1, 0, 0]), "version 2"),
        (bytes([1, 23, 0]), "too many points, or none"),
        (bytes([1, 23, 255, 255, 255, 127]), "too many points, or none"),
        (bytes([1, 23, 255, 255, 255, 255, 1]), "too large"),
        (bytes([1, 23, 2, 0, 0]), "a part of it is missing"),
        (bytes([1, 23, 1, 255, 255, 3, 0]), "nowhere near the canvas"),
        (bytes([1, 151, 1, 0, 0, 64]), "pressure"),
    ],
)
def test_a_drawing_that_cannot_be_is_refused_although_its_sum_is_right(lab: Page, body: bytes, why: str) -> None:
    one = two = 0
    for byte in body:
        one = (one + byte) % 255
        two = (two + one) % 255
    word = base64.urlsafe_b64encode(body + bytes([one, two])).decode().rstrip("=")
    result = lab.evaluate("(word) => attempt(() => strokes.decode(word))", word)
    assert result["refused"]
    assert why in result["message"]


def test_pixels_are_what_the_way_of_the_pen_covers(lab: Page) -> None:
    random = np.random.default_rng(7)
    base = random.integers(0, 256, (28, 28)).astype(np.uint8)
    round_the_corner = straight("ink", 24, (40, 40), (120, 40), (120, 120), (60, 130))
    cases: list[tuple[list[Stroke], np.ndarray | None]] = [
        ([straight("ink", 24, (140, 140))], None),
        ([straight("ink", 24, (100, 60), (100, 220))], None),
        ([round_the_corner, straight("erase", 10, (30, 20), (130, 140))], None),
        ([straight("erase", 40, (0, 0), (280, 280))], base),
        ([Stroke("ink", 30, ((200, 200), (400, 300), (500, 800)), (0, 31, 8))], base),
        (some(random, 6), None),
    ]
    for drawing, under in cases:
        found = lab.evaluate(
            """([drawing, base]) => {
              const raster = new Raster();
              raster.draw({ base: base && { name: "", side: 28, values: Uint8Array.from(base) }, strokes: drawing });
              return [...raster.values];
            }""",
            [[stroke.plain() for stroke in drawing], None if under is None else under.ravel().tolist()],
        )
        wanted = raster(drawing, under)
        away = np.abs(np.array(found).reshape(280, 280) - wanted.astype(int))
        assert away.max() <= 80  # where a stroke turns on the spot: chords of 3 pixels here, dense points there
        assert (away > 8).mean() < 0.005


def test_it_makes_no_difference_in_how_many_pieces_a_stroke_is_drawn(lab: Page) -> None:
    drawing = [stroke.plain() for stroke in some(np.random.default_rng(8), 5)]
    same = lab.evaluate(
        """(drawing) => {
          const [whole, pieces] = [new Raster(), new Raster()];
          whole.draw({ base: null, strokes: drawing });
          for (const stroke of drawing) {
            for (let first = 0; first < stroke.points.length / 2; first++) pieces.stroke(stroke, first);
          }
          return whole.values.every((value, i) => value === pieces.values[i]);
        }""",
        drawing,
    )
    assert same


def test_points_are_left_out_only_where_nobody_misses_them(lab: Page) -> None:
    along = np.linspace(0, 2 * np.pi, 300)
    circle = np.column_stack([140 + 80 * np.cos(along), 140 + 80 * np.sin(along)])
    line = np.column_stack([np.linspace(20, 260, 200), np.linspace(250, 30, 200)])
    square = np.concatenate([np.linspace(a, b, 60) for a, b in [((60, 60), (200, 60)), ((200, 60), (200, 200))]])
    for shape, fewer in ((circle, 0.6), (line, 0.3), (square, 0.4)):
        whole = straight("ink", 20, *shape)
        kept = lab.evaluate("(stroke) => strokes.simplify(stroke)", whole.plain())
        points = [(x, y) for x, y in zip(kept["points"][::2], kept["points"][1::2], strict=True)]
        assert len(points) <= fewer * len(shape)
        assert (points[0], points[-1]) == (whole.points[0], whole.points[-1])
        assert set(points) <= set(whole.points)
        away = np.abs(raster([Stroke("ink", 20, tuple(points))]).astype(int) - raster([whole]))
        assert away.sum() < 0.02 * raster([whole]).sum()


def test_a_pressure_that_rises_is_kept(lab: Page) -> None:
    points = tuple((6 * i, 400) for i in range(8))  # a step of 1.5 pixels, on a straight line
    stroke = Stroke("ink", 20, points, (0, 0, 0, 0, 31, 31, 31, 31))
    kept = lab.evaluate("(stroke) => strokes.simplify(stroke)", stroke.plain())
    assert [kept["pressures"][0], kept["pressures"][-1]] == [0, 31]
    at = dict(zip(kept["points"][::2], kept["pressures"], strict=True))
    assert (at[18], at[24]) == (0, 31)
    even = lab.evaluate("(stroke) => strokes.simplify(stroke)", Stroke("ink", 20, points, (9,) * 8).plain())
    assert len(even["pressures"]) == 3


def test_json_comes_back_as_it_was(lab: Page) -> None:
    random = np.random.default_rng(9)
    drawing = [stroke.plain() for stroke in some(random, 6)]
    small = {"name": "strokes.12", "side": 28, "values": random.integers(0, 256, 784).tolist()}
    large = {"name": "a photograph", "side": 280, "values": random.integers(0, 256, 78_400).tolist()}
    for base in (None, small, large):
        written = lab.evaluate(
            """([base, drawing]) => strokes.toJson({ strokes: drawing,
              base: base && { ...base, values: Uint8Array.from(base.values) } })""",
            [base, drawing],
        )
        said = json.loads(written)
        assert (said["format"], said["version"], said["size"]) == ("attnviz drawing", 1, 280)
        x, y = drawing[0]["points"][:2]
        assert said["strokes"][0]["points"][0][:2] == [x / UNITS, y / UNITS]
        if base:
            assert list(base64.b64decode(said["base"]["values"])) == base["values"]
        came = lab.evaluate(
            """(written) => {
              const { base, strokes: drawing } = strokes.fromJson(written);
              return { base: base && { ...base, values: [...base.values] }, strokes: drawing };
            }""",
            written,
        )
        assert came == {"base": base, "strokes": drawing}


GOOD: dict[str, Any] = {
    "format": "attnviz drawing", "version": 1, "size": 280, "base": None,
    "strokes": [{"tool": "ink", "width": 24, "points": [[1.5, 2]]}],
}  # fmt: skip
INK = GOOD["strokes"][0]


@pytest.mark.parametrize(
    ("came", "why"),
    [
        ("", "not JSON"),
        ("null", 'no "format"'),
        ("[]", 'no "format"'),
        ({**GOOD, "format": "other"}, 'no "format"'),
        ({**GOOD, "strokes": {}}, 'no "format"'),
        ({**GOOD, "version": 2}, "version 2"),
        ({**GOOD, "version": None}, "version null"),
        ({**GOOD, "size": 28}, "280 pixels wide"),
        ({**GOOD, "strokes": [INK] * 1001}, "more than 1000 strokes"),
        ({**GOOD, "strokes": [{**INK, "points": [[0, 0]] * 20_001}]}, "more than 20000 points"),
        ({**GOOD, "strokes": [{**INK, "points": {"length": -1}}]}, "points that are not"),
        ({**GOOD, "strokes": [None]}, "points that are not"),
        ({**GOOD, "strokes": [{**INK, "points": [[1]]}]}, "points that are not"),
        ({**GOOD, "strokes": [{**INK, "points": [["1", 2]]}]}, "points that are not"),
        ({**GOOD, "strokes": [{**INK, "tool": "spray"}]}, "neither inks nor erases"),
        ({**GOOD, "strokes": [{**INK, "width": 0}]}, "from 1 to 64"),
        ({**GOOD, "strokes": [{**INK, "width": 2.5}]}, "from 1 to 64"),
        ({**GOOD, "strokes": [{**INK, "points": [[1, 2, 1.5]]}]}, "between 0 and 1"),
        ({**GOOD, "base": {"name": "a", "side": 28, "values": "AAAA"}}, "damaged"),
        ({**GOOD, "base": {"name": "a", "side": 28, "values": "?"}}, "damaged"),
        ({**GOOD, "base": 7}, "damaged"),
    ],
)
def test_other_json_is_refused_in_words(lab: Page, came: Any, why: str) -> None:
    written = came if isinstance(came, str) else json.dumps(came)
    result = lab.evaluate("(written) => attempt(() => strokes.fromJson(written))", written)
    assert result["refused"], result
    assert why in result["message"]


def test_the_json_of_the_description_is_read(lab: Page) -> None:
    result = lab.evaluate("(written) => attempt(() => strokes.fromJson(written))", json.dumps(GOOD))
    assert result["found"] == {
        "base": None,
        "strokes": [{"tool": "ink", "width": 24, "points": [6, 8], "pressures": None}],
    }
