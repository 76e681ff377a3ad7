"""Every comparison of the top of docs/results.md, computed again from the files of the cards."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
FULL = (ROOT / "docs/results.md").read_text("utf-8")
PARTS = [
    FULL.partition(f"## {head}\n")[2].partition("\n## ")[0] for head in ("With and without", "Further comparisons")
]
TOP = PARTS[0]
ROWS = [[c.strip() for c in line.strip("|").split(" | ")] for part in PARTS for line in part.strip().splitlines()[2:]]
TRAINED = [row for row in ROWS if "*not trained*" not in "".join(row)]
Side = dict[str, Any]


def card(name: str) -> Side:
    found: Side = json.loads((ROOT / "checkpoints" / name / "card.json").read_text("utf-8"))
    return found


def side(cell: str, like: str) -> Side:
    """Return the figure that a cell of the table speaks of: of the checkpoint that it names, or of an ablation."""
    named = re.search(r"\(`([^`]+)`\)", cell)
    figures = card(re.findall(r"`([^`]+)`", like)[0])["figures"] if named is None else card(named[1])["figures"]
    if named is None:
        ablations = card(re.findall(r"`([^`]+)`", like)[0])["ablations"]
        (figures,) = [one["figures"] for one in ablations if one["title"] in cell]
    name = "accuracy_one_draw" if "one path instead of ten" in like else "accuracy"
    (data, how) = re.findall(r", on (\w+) test(?:, variants, (\w+))?:", like)[0]
    fits = [
        one
        for one in figures
        if (one["name"], one["data"], one["split"]) == (name, data, "test")
        and (one["augmentation"] is None) == (not how)
        and (not how or one["augmentation"]["sampling"] == [how])
        and (not how or one["augmentation"]["rotation"] > 0)
    ]
    found: Side = max(fits, key=lambda one: one["count"])
    return found


def right(figure: Side) -> np.ndarray:
    bits = np.unpackbits(np.frombuffer(base64.b64decode(figure["right"]), np.uint8))[: figure["count"]]
    found: np.ndarray = bits.reshape(figure["draws"], -1).mean(0)
    return found


def student(freedom: float) -> float:
    """Return the 0.975 quantile: with t = sqrt(freedom) tan(angle), the density is a power of the cosine."""
    angles = np.linspace(0, np.pi / 2, 400_001)
    density = np.cos(angles) ** (freedom - 1) if freedom > 1 else np.ones_like(angles)
    density[-1] = 0 if freedom > 1 else 1
    held = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return float(np.sqrt(freedom) * np.tan(np.interp(0.95, held / held[-1], angles)))


def answers(figure: Side) -> np.ndarray | None:
    """Return (seed, picture), or None where the card does not hold the answers of each seed."""
    each = figure.get("right_per_seed")
    return None if each is None else np.stack([right({**figure, "right": one}) for one in each])


def again(one: Side, other: Side, itself: bool) -> tuple[float, tuple[float, float] | None]:
    """Return the difference of the means over the seeds, and the ends of its interval, from the sums of squares."""
    value = np.mean(one["per_seed"] or one["mean"]) - np.mean(other["per_seed"] or other["mean"])
    first, second = answers(one), answers(other)
    if min(one["seeds"], other["seeds"]) < 2 or first is None or second is None:
        return float(value), None
    assert first.shape[1] == second.shape[1] and one["data"] == other["data"], "the same pictures"
    parts, pictures = [], first.shape[1]
    for side in [first - second] if itself else [first, second]:
        seeds = len(side)
        rows, columns = side.mean(1), side.mean(0)
        squares = ((side - side.mean()) ** 2).sum()
        of_rows, of_columns = pictures * rows.var() * seeds, seeds * columns.var() * pictures
        left = (squares - of_rows - of_columns) / (seeds - 1) / (pictures - 1)
        parts.append((of_rows / (seeds - 1) / pictures / seeds, seeds - 1))
        parts.append((-left / seeds / pictures, (seeds - 1) * (pictures - 1)))
    over = ((first.mean(0) - second.mean(0)).var(ddof=1) / pictures, pictures - 1)
    parts.append(over)
    total = sum(part for part, _ in parts)
    if total <= over[0]:
        total, parts = over[0], [over]
    freedom = max(total**2 / sum(part**2 / degrees for part, degrees in parts), min(degrees for _, degrees in parts))
    half = student(freedom) * np.sqrt(total)
    return float(value), (float(value - half), float(value + half))


def test_the_quantiles_are_those_of_the_tables() -> None:
    for freedom, wanted in ((1, 12.706), (2, 4.303), (4, 2.776), (8, 2.306), (30, 2.042), (1000, 1.962)):
        assert student(freedom) == pytest.approx(wanted, abs=2e-3)


def test_there_are_comparisons() -> None:
    assert len(TRAINED) >= 15


@pytest.mark.parametrize("row", TRAINED, ids=lambda row: " - ".join(re.findall(r"`([^`]+)`", row[0] + row[1])))
def test_a_verdict_is_what_the_cards_say(row: list[str]) -> None:
    with_it, without, difference, verdict, _ = row
    one, other = side(with_it, with_it), side(without, with_it)
    value, interval = again(one, other, without.startswith("The same, "))
    for cell, figure in ((with_it, one), (without, other)):
        assert f": {100 * figure['mean']:.2f} %" in cell
        seeds = f"{figure['seeds']} seed"
        assert seeds in cell or cell.startswith("The same, ")
    signed = difference.replace("−", "-")
    numbers = [float(number) / 100 for number in re.findall(r"[+-]\d+\.\d+", signed.partition("; trained")[0])]
    assert numbers[0] == pytest.approx(value, abs=6e-5)
    alone = re.sub(r".*\(alone: ([a-z ]+)\)", r"**\1**", verdict).partition(" of ")[0]
    if interval is None:
        one_seed = min(one["seeds"], other["seeds"]) < 2
        assert ("*one seed*" if one_seed else "*no answers of each seed*") in difference
        assert verdict == "**not decided**"
    else:
        assert numbers[1:3] == pytest.approx(interval, abs=6e-5)
        low, high = interval
        small = min(0.005, 0.1 * (1 - (one["mean"] + other["mean"]) / 2))
        within = "within the margin" if max(-low, high) <= small else "not decided"
        assert alone == f"**{'better' if low > 0 else 'worse' if high < 0 else within}**"


def test_two_sides_that_are_compared_have_one_seed_or_at_least_three() -> None:
    for row in TRAINED:
        for figure in (side(row[0], row[0]), side(row[1], row[0])):
            assert figure["seeds"] == 1 or figure["seeds"] >= 3


def test_a_pair_with_another_budget_says_so() -> None:
    budget = ("data", "classes", "validation", "augmentation", "augment", "epochs")
    for row in TRAINED:
        names = re.findall(r"\(`([^`]+)`\)", row[0] + row[1])
        recipes = [card(name)["recipe"] for name in names]
        if len(recipes) < 2:
            continue
        differ = [field for field in budget if recipes[0].get(field) != recipes[1].get(field)]
        assert not differ or ("epochs" not in differ) or "epochs" in row[-1], names
        assert not differ or row[-1] != "nothing", names
