"""The colours of both themes: contrast, lightness, and what people with a colour vision deficiency can tell apart.

Distances are Euclidean in OKLab, where about 0.02 is just noticeable. Deficiencies are simulated at full severity as
in Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
"""

import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from attnviz.ui.mechanisms.pixel_attention import equations

Colour = npt.NDArray[np.float64]
THEMES = tomllib.loads(Path(".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
ROLES = ("orange", "blue", "green")
VISION = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_CONES = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
TO_LAB = np.array(
    [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.808675766]]
)  # fmt: skip


def linear(colour: str) -> Colour:
    """Return red, green, blue of a hex value, as light (sRGB without its curve)."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colour: str, vision: str = "full") -> Colour:
    """Return a colour in OKLab, as somebody with this vision sees it."""
    seen: Colour = TO_LAB @ np.cbrt(TO_CONES @ np.clip(VISION[vision] @ linear(colour), 0, 1))
    return seen


def apart(one: str, other: str, vision: str = "full") -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""
    low, high = sorted(linear(colour) @ (0.2126, 0.7152, 0.0722) + 0.05 for colour in (one, other))
    return float(high / low)


def stops(theme: str, name: str) -> list[str]:
    """Return the colours of one half of a scale: the page, halfway, the end."""
    colours = THEMES[theme]
    return [colours["backgroundColor"], colours[f"{name}BackgroundColor"], colours[f"{name}Color"]]


both = pytest.mark.parametrize("theme", ["light", "dark"])
seen_as = pytest.mark.parametrize("vision", VISION)


def test_contrast_and_distance_are_those_of_known_colours() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    np.testing.assert_allclose(lab("#ff0000"), [0.628, 0.225, 0.126], atol=0.001)
    assert apart("#ff0000", "#5d4e00", "protanopia") < 0.1 < 0.2 < apart("#ff0000", "#5d4e00")


@both
@pytest.mark.parametrize("name", ["violet", "gray", "yellow"])
def test_lightness_goes_one_way_from_the_page_to_the_end(theme: str, name: str) -> None:
    steps = np.diff([lab(colour)[0] for colour in stops(theme, name)])
    assert (steps < -0.04).all() if theme == "light" else (steps > 0.04).all()


@both
def test_more_catches_the_eye_and_less_fades(theme: str) -> None:
    page, more, less, below = (THEMES[theme][f"{name}Color"] for name in ("background", "violet", "gray", "yellow"))
    assert contrast(more, page) >= 7
    assert contrast(below, page) >= 3
    assert contrast(less, page) <= 1.5
    assert apart(more, page) > apart(below, page) > 3 * apart(less, page)


@both
@seen_as
def test_the_ends_of_a_scale_stay_apart(theme: str, vision: str) -> None:
    page, more, less, below = (THEMES[theme][f"{name}Color"] for name in ("background", "violet", "gray", "yellow"))
    assert apart(more, below, vision) >= 0.15
    assert apart(more, less, vision) >= 0.5
    assert apart(below, page, vision) >= 0.3
    assert apart(less, page, vision) >= 0.08, "what is less can still be told from an even share"


@both
@seen_as
def test_query_key_and_value_stay_apart(theme: str, vision: str) -> None:
    for one, other in combinations((THEMES[theme][f"{name}Color"] for name in ROLES), 2):
        assert apart(one, other, vision) >= 0.06, (one, other)


@both
@seen_as
def test_the_query_and_the_key_outline_no_map_in_its_own_colour(theme: str, vision: str) -> None:
    for role in ROLES[:2]:
        for end in ("violet", "gray", "yellow"):
            assert apart(THEMES[theme][f"{role}Color"], THEMES[theme][f"{end}Color"], vision) >= 0.05, (role, end)


@both
def test_words_in_a_colour_can_be_read(theme: str) -> None:
    colours = THEMES[theme]
    for name in (*ROLES, "violet", "gray", "yellow"):
        for under in ("backgroundColor", "secondaryBackgroundColor"):
            assert contrast(colours[f"{name}TextColor"], colours[under]) >= 4.5, (name, under)
    assert contrast(colours["yellowTextColor"], colours["yellowBackgroundColor"]) >= 4.5, "a warning"
    for name in ROLES:
        assert colours[f"{name}TextColor"] == colours[f"{name}Color"], "words and outlines have one colour"


@both
def test_charts_have_the_colours_of_the_roles(theme: str) -> None:
    colours = THEMES[theme]
    charts = colours["chartCategoricalColors"]
    assert charts[:3] == [colours[f"{name}Color"] for name in ROLES]
    assert charts[5] == colours["textColor"]
    for colour in charts:
        assert contrast(colour, colours["backgroundColor"]) >= 4.5


@both
@pytest.mark.parametrize("role", [equations.QUERY, equations.KEY, equations.VALUE])
def test_equations_can_be_read_in_both_themes(theme: str, role: str) -> None:
    assert contrast(role, THEMES[theme]["backgroundColor"]) >= 3.9
