"""Figures: the numbers are those of the model, pictures have the viewer's colours, and files state their origin."""

import csv
import errno
import io
import json
import os
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawn
from PIL import Image
from pypdf import PdfReader

import attnviz
from attnviz.errors import BadInput
from attnviz.figures import modules, static, wording
from attnviz.figures.colours import THEMES, theme_of
from attnviz.figures.figure import AttentionFigure
from attnviz.subjects import Subject, example, net
from tests.figures import seen as small

OURS = ("pixel_attention.1v8", "strokes:23")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def seen() -> attnviz.listening.Trace:
    return small.seen()


@pytest.fixture(scope="module")
def captured(seen) -> attnviz.Figure:
    return attnviz.figure(seen, query=(2, 3), heads="all", over=small.photo(), classes=["a", "b", "c"])


def oracle(layer: int) -> np.ndarray:
    """The weights of a layer in float64, (head, query, key), from the module's own parameters."""
    model = small.model()
    tokens = model.patches(small.batch(small.photo())).flatten(2).mT
    tokens = torch.cat([model.cls, tokens], 1) + model.places
    for before in model.encoder.layers[:layer]:
        tokens = before(tokens)
    attention = model.encoder.layers[layer].self_attn
    query, key, _ = (tokens @ attention.in_proj_weight.mT + attention.in_proj_bias).chunk(3, -1)
    query, key = (part[0].unflatten(-1, (2, 8)).transpose(0, 1) for part in (query, key))
    return (query @ key.mT / 8**0.5).softmax(-1).detach().numpy()


def test_where_the_disk_is_full_the_figure_before_still_stands(captured, tmp_path, monkeypatch):
    path = captured.save(tmp_path / "figure.csv")
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match=r"figure\.csv cannot be written: no space left on device"):
        captured.save(path)
    assert [*tmp_path.iterdir()] == [path] and path.read_bytes() == before


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_saved_numbers_are_those_of_the_model(captured, suffix: str, tmp_path: Path) -> None:
    path = captured.save(tmp_path / f"figure.{suffix}")
    for layer in (0, 1):
        expected = oracle(layer)[:, 1 + 2 * 6 + 3]
        if suffix == "npz":
            found = np.load(path)[f"values_{layer}"]
            assert [*np.load(path)[f"grid_{layer}"]] == [4, 6, 1, 16]
        else:
            lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
            rows = [row for row in csv.DictReader(lines) if row["layer"].endswith(f"layers.{layer}.self_attn")]
            assert [rows[0]["row"], rows[0]["column"]] == ["nowhere", "1"]
            assert [rows[-1]["row"], rows[-1]["column"]] == ["4", "6"]
            found = np.array([[float(row[f"head {head}"]) for row in rows] for head in (1, 2)])
            mean = np.array([float(row["mean of heads"]) for row in rows])
            np.testing.assert_allclose(mean, found.mean(0), rtol=1e-12)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(("direction", "axis"), [("from", 1), ("to", 2), ("received", None)])
def test_every_direction_shows_the_model_s_weights(seen, direction: str, axis: int | None, tmp_path: Path) -> None:
    figure = attnviz.figure(seen, layers=-1, query=(-1, 0), direction=direction)
    found = np.load(figure.save(tmp_path / "figure.npz"))["values_0"]
    weights = oracle(1)
    expected = weights.mean(1) if axis is None else weights.take(0, axis)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_within_windows_a_token_attends_to_those_of_its_window(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = small.Windows().eval().double()
    trace = attnviz.watch(net)(torch.rand(1, 3, 32, 32).double())
    of_window = net.weights.detach()  # (window, head, query, key)
    # The patch in row 1, column 4 of the picture is rolled to row 3, column 6: row 3, column 2 of the second window.
    rolled = torch.zeros(2, 8, 8).double()
    rolled[:, :4, 4:] = of_window[1, :, 3 * 4 + 2].reshape(2, 4, 4)
    expected = rolled.roll((-2, -2), (1, 2)).flatten(1).numpy()
    figure = attnviz.figure(trace, query=(1, 4))
    found = np.load(figure.save(tmp_path / "figure.npz"))
    assert [*found["grid_0"]] == [8, 8, 0, 12] and "1/16" in figure.words()
    np.testing.assert_allclose(found["values_0"], expected, rtol=1e-9, atol=1e-15)
    assert isinstance(figure, AttentionFigure)
    whole = np.stack([figure.views[""].weights(8 * r + c) for r in (1, 3) for c in (0, 7)])
    np.testing.assert_allclose(whole.sum(-1), 1, rtol=1e-9)
    received = np.load(attnviz.figure(trace, direction="received").save(tmp_path / "figure.npz"))["values_0"]
    np.testing.assert_allclose(received.sum(-1), 4, rtol=1e-9)  # one from each window


def test_what_pads_a_window_stands_below_the_picture(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = small.Padded().eval().double()
    trace = attnviz.watch(net)(small.batch(small.photo(32, 32)))
    of_query = net.weights.detach()[7, :, 4].numpy()  # (head, key)
    figure = attnviz.figure(trace, query=(7, 4))  # row 1, column 1 of the last row's middle window of 3 x 3 windows
    found = np.load(figure.save(tmp_path / "figure.npz"))
    assert [*found["grid_0"]] == [8, 8, 17, 17 + 7 * 8 + 4]
    rows, columns = np.divmod(np.arange(9), 3)
    on = rows < 2  # the third row of the window is padding
    expected = np.zeros((2, 8, 8))
    expected[:, 6 + rows[on], 3 + columns[on]] = of_query[:, on]
    np.testing.assert_allclose(found["values_0"][:, 17:], expected.reshape(2, -1), rtol=1e-9, atol=1e-15)
    padding = found["values_0"][:, :17]
    np.testing.assert_allclose(np.sort(padding[padding > 0]), np.sort(of_query[:, ~on].ravel()), rtol=1e-9)


def test_on_layers_of_two_grids_the_query_lies_at_the_same_place(tmp_path: Path) -> None:
    torch.manual_seed(0)
    trace = attnviz.watch(small.TwoGrids().eval().double())(small.batch(small.photo(32, 32)))
    figure = attnviz.figure(trace, query=(5, 2))
    found = np.load(figure.save(tmp_path / "figure.npz"))
    assert [*found["grid_0"]] == [8, 8, 0, 5 * 8 + 2] and [*found["grid_1"]] == [4, 4, 0, 2 * 4 + 1]
    expected = trace["coarse.weights"].at(batch=0, query=9).numpy()
    np.testing.assert_allclose(found["values_1"], expected, rtol=1e-9)
    figure.save(tmp_path / "figure.png")
    with pytest.raises(BadInput, match=r"The query \(5, 8\) is not on this layer's grid: rows 0 to 7"):
        attnviz.figure(trace, query=(5, 8))


def test_queries_that_are_no_tokens_of_the_picture(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = small.Queries().eval().double()
    trace = attnviz.watch(net)(torch.rand(1, 3, 32, 32).double())
    expected = net.weights.detach()[0].numpy()  # (head, query, key)
    figure = attnviz.figure(trace, query=(-1, 1))
    assert "of query 2 of 3 over all keys" in figure.words() and "1/65" in figure.words()
    found = np.load(figure.save(tmp_path / "figure.npz"))
    assert [*found["grid_0"]] == [8, 8, 4, 1]
    np.testing.assert_allclose(found["values_0"][:, 3:], expected[:, 1], rtol=1e-6)
    assert (found["values_0"][:, :3] == 0).all()
    to = np.load(attnviz.figure(trace, query=(4, 5), direction="to").save(tmp_path / "figure.npz"))["values_0"]
    np.testing.assert_allclose(to[:, :3], expected[:, :, 1 + 4 * 8 + 5], rtol=1e-6)


def test_a_subject_of_ours_gives_the_numbers_of_its_tap(tmp_path: Path) -> None:
    subject = Subject(net(OURS[0]), example("strokes", 23))
    figure = attnviz.figure(subject, query=(14, 14))
    model, _ = subject.net.load(double=True)
    with torch.no_grad(), attnviz.trace(model, keep=["*.weights"]) as trace:
        model(torch.from_numpy(subject.image.transpose(2, 0, 1)[None] / 255))
    expected = trace["attention.weights"].at(batch=0, query=14 * 28 + 14).numpy()
    np.testing.assert_allclose(np.load(figure.save(tmp_path / "f.npz"))["values_0"], expected, rtol=1e-12)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_each_cell_of_the_picture_has_its_colour(captured, theme: str) -> None:
    figure = AttentionFigure(captured.views, captured.choice, theme)
    drawn = static.whole(figure)
    drawn.set_dpi(300)
    canvas = FigureCanvasAgg(drawn)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    maps = [axes for axes in drawn.axes if axes.images and axes.images[0].get_array().shape[:2] == (6, 6)]
    assert len(maps) == 6
    for axes, panel in zip(maps, static.panels(figure), strict=True):
        expected = theme_of(theme).palettes["share"][panel.colours]
        for row, column in np.ndindex(*panel.colours.shape):
            x, y = axes.transData.transform((column, row))
            np.testing.assert_array_equal(pixels[len(pixels) - 1 - int(y), int(x)], expected[row, column])


def test_nothing_overlaps_in_a_column_of_a_paper(captured) -> None:
    for heads in ((0,), (0, 1, "mean")):
        figure = AttentionFigure(captured.views, attnviz.figures.maps.Choice((2, 3), heads), "light", 3.25)
        drawn = static.whole(figure)
        renderer = FigureCanvasAgg(drawn).get_renderer()
        drawn.draw(renderer)
        texts = [text.get_window_extent(renderer) for text in drawn.texts]
        boxes = [axes.get_window_extent(renderer) for axes in drawn.axes]
        clash = [(a, b) for i, a in enumerate(texts) for b in [*texts[:i], *boxes] if a.overlaps(b)]
        assert clash == []
        assert all(box.x0 >= 0 and box.x1 <= drawn.bbox.x1 and box.y0 >= 0 for box in texts)
        assert all(text.get_fontsize() >= 6 for text in drawn.texts)


def test_files_say_where_they_come_from_and_are_the_same_again(captured, tmp_path: Path) -> None:
    for suffix in ("pdf", "svg", "png", "csv", "npz", "html"):
        one, two = (captured.save(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
        assert one == two, suffix
    reader = PdfReader(tmp_path / "one.pdf")
    about = json.loads(reader.metadata["/Keywords"])
    assert about["model"] == "tests.figures.seen.SmallViT" and len(about["digest"]) == 64
    assert "row 3, column 4" in about["shows"]
    fonts = [font.get_object() for font in reader.pages[0]["/Resources"]["/Font"].values()]
    assert fonts and all("/FontFile2" in (font.get("/FontDescriptor") or
        font["/DescendantFonts"][0].get_object()["/FontDescriptor"]).get_object() for font in fonts)  # fmt: skip
    assert "layer" in reader.pages[0].extract_text()
    assert ">layer 1</text>" in (tmp_path / "one.svg").read_text()
    with Image.open(tmp_path / "one.png") as picture:
        assert about == json.loads(picture.info["Description"])


def test_the_size_of_a_page_is_said(captured, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = captured.save(tmp_path / "figure.html")
    assert capsys.readouterr().err == f"{path} takes {path.stat().st_size / 1e6:.1f} MB.\n"


def test_it_draws_into_axes_of_one_s_own(captured) -> None:
    axes = Drawn().subplots(2, 3)
    captured.draw(axes)
    assert axes[1, 2].get_title() == "layer 1, mean of heads"
    with pytest.raises(BadInput, match="6 maps, and 1 axes"):
        captured.draw(axes[0, 0])


def test_a_notebook_gets_the_viewer_and_a_picture(captured) -> None:
    bundle = captured._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Attention weights of the query at row 3, column 4")
    assert 'sandbox="allow-scripts allow-downloads"' in bundle["text/html"] and "data:image/png" in bundle["text/html"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": [7]}, "There is no layer 7: there are 2, counted from 0"),
        ({"layers": ["encoder.layers.1.self"]}, "There is no layer 'encoder.layers.1.self'. Did you mean"),
        (
            {"query": (4, 0)},
            r"The query \(4, 0\) is not on this layer's grid: rows 0 to 3, columns 0 to 5, or one",
        ),
        ({"heads": 2}, "There is no head 2: this layer has 2"),
        ({"theme": "sepia"}, "There is no theme 'sepia'"),
        ({"width": "3 feet"}, "expected 1 to 50 inches"),
        ({"show": "values"}, "show: expected one of weights, scores, not 'values'"),
        ({"over": np.zeros((3, 4))}, "over: expected a path"),
        ({"over": -np.ones((3, 4, 4))}, "undo the normalisation"),
        ({"classes": ["a"]}, r"1 names do not fit the model's output, which is \(1, 3\)"),
        ({"batch": 1}, "There is no picture 1 in the batch"),
        ({"grid": (9, 9)}, "has more cells than the layer's 25 tokens"),
        ({"picture": "strokes:1"}, "picture belongs to a checkpoint"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(seen, options: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        attnviz.figure(seen, **options)


def test_other_mistakes_are_said_too(captured, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is saved as one of pdf, svg"):
        captured.save(tmp_path / "figure.jpeg")
    with pytest.raises(BadInput, match="Which picture should"):
        attnviz.figure(OURS[0])
    with pytest.raises(BadInput, match="not at a Tensor. For your own pictures, .*attnviz.watch"):
        attnviz.figure("pixel_attention.1v8", torch.rand(1, 1, 28, 28))
    with pytest.raises(BadInput, match="not Tensor"):
        attnviz.figure(torch.zeros(3))


def test_the_colours_are_those_of_the_app() -> None:
    written = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    for theme, colours in THEMES.items():
        for name, colour in colours.items():
            first, *others = name.split("-")
            assert written[theme]["".join([first, *(part.title() for part in others)])] == colour


def test_every_module_can_be_put_together() -> None:
    for path in sorted(modules.FRONTEND.glob("*/*.js")):
        if "import.meta" not in path.read_text():
            modules.together(path.relative_to(modules.FRONTEND).as_posix())


def test_a_module_that_is_not_understood_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "FRONTEND", tmp_path)
    (tmp_path / "odd.js").write_text('export * from "./other.js";\n')
    with pytest.raises(BadInput, match="odd.js: this is not understood: export"):
        modules.together("odd.js")


def test_the_page_writes_nothing_that_could_end_its_script(seen) -> None:
    page = attnviz.figure(seen, over=small.photo(), classes=["</script><script>alert(1)", "b", "c"]).html()
    assert "<script>alert" not in page
    assert io.StringIO(page).read().count("</script>") == page.count("<script")


@pytest.mark.parametrize(
    ("layers", "names"),
    [
        (["blocks.0.attn", "blocks.11.attn"], ["layer 0", "layer 11"]),
        (["features.1.0.attn", "features.1.1.attn"], ["…1.0.attn", "…1.1.attn"]),
        (["a_module_of_one_long_name", "b"], ["…ne_long_name", "b"]),
    ],
)
def test_layers_have_names_that_fit_above_a_map(layers: list[str], names: list[str]) -> None:
    figure = attnviz.figure(*OURS)
    assert isinstance(figure, AttentionFigure)
    view = figure.views["attention"]
    assert wording.names_of(AttentionFigure(dict.fromkeys(layers, view))) == names
