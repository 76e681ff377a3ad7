"""Figures of models that attnviz has never seen: numbers are the readings', colours those of the viewer."""

from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import sync_playwright

import attnviz
from attnviz.errors import BadInput
from attnviz.figures import static
from attnviz.figures.colours import theme_of
from attnviz.figures.figure import AttentionFigure
from tests.browser import harness
from tests.browser.test_figure import CELLS, MAP, opened
from tests.capture.architectures import ALL
from tests.capture.builders import needed

OURS = ("pixel_attention.1v8", "pixel_attention.digits", "cnn_attention.digits", "pixel_attention.1v8-one-token")
OTHERS = (
    "torchvision vit_b_16", "timm vit_small_patch16_224", "timm deit_tiny_distilled_patch16_224",
    "timm vit_small_patch14_reg4_dinov2", "timm vit_small_patch16_dinov3", "timm eva02_tiny_patch14_224",
    "timm beit_base_patch16_224", "timm vit_relpos_small_patch16_224", "timm cait_xxs24_224",
)  # fmt: skip


def made(name: str):
    needed(name)
    torch.manual_seed(0)
    model, arguments, named = ALL[name].build()
    return model.eval(), arguments, named


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OURS, *OTHERS])
def test_numbers_and_colours(name: str, tmp_path: Path) -> None:
    if name in OURS:
        figure = attnviz.figure(name, "strokes:23", heads="all")
    else:
        model, arguments, named = made(name)
        seen = attnviz.watch(model)(*arguments, **named)
        figure = attnviz.figure(seen, layers=[0, -1], heads="all")
        assert isinstance(figure, AttentionFigure)
        for path, view in figure.views.items():
            reading = seen[f"{path}.weights"]
            expected = reading.at(batch=0, query=figure.choice.token(view)).double().numpy()
            found = np.load(figure.save(tmp_path / "figure.npz"))[f"values_{[*figure.views].index(path)}"]
            keys = found[:, found.shape[1] - expected.shape[1] :]  # behind queries that are no keys
            np.testing.assert_allclose(keys, expected, rtol=1e-6, atol=1e-12)
    assert isinstance(figure, AttentionFigure)
    with sync_playwright() as playwright:
        browser = harness.launch(playwright)
        page, said = opened(browser, figure.save(tmp_path / "figure.html"), color_scheme="light")
        shown = -1
        for panel in static.panels(figure):
            number = [*figure.views.values()].index(panel.view)
            if number != shown and len(figure.views) > 1:
                page.get_by_label("Layer", exact=True).fill(str(number))
                page.wait_for_selector(f"#figure[data-shown='{number}']")
            shown = number
            if panel.view.heads > 1:
                page.get_by_role("combobox", name="Head").select_option(index=panel.number)
            expected = theme_of("light").palettes["share"][panel.colours].reshape(-1, 3)
            np.testing.assert_array_equal(page.evaluate(CELLS, panel.colours.shape), expected)
            found = np.array(page.evaluate(MAP, panel.head))
            np.testing.assert_allclose(found, panel.maps.values[panel.number], rtol=1e-9, atol=1e-300)
        assert said == []
        browser.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torch encoder", "give grid="),
    ],
)
def test_what_cannot_be_drawn_is_refused(name: str, words: str) -> None:
    model, arguments, named = made(name)
    with pytest.raises(BadInput, match=words):
        attnviz.figure(attnviz.watch(model)(*arguments, **named), layers=[0])
