"""Packages of third parties, through the library: trained, tested, listed and read back by names alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.third_party.installed import TRAINED, attnviz


def card(third_parties: dict[str, str], name: str) -> dict:
    return json.loads((Path(third_parties["ATTNVIZ_CHECKPOINTS"]) / f"{name}.digits" / "card.json").read_text())


def test_a_recipe_of_a_third_party_is_trained_with_its_own_objective(third_parties: dict[str, str]) -> None:
    found = card(third_parties, "chance_looks")
    assert {figure["name"]: figure["unit"] for figure in found["figures"]} == {"accuracy": "share", "surprise": "bits"}
    assert all(len(figure["per_seed"]) == 2 for figure in found["figures"])
    assert {"train_sure", "validation_surprise"} <= set(found["runs"][0]["curve"])


def test_its_models_pass_the_checks_that_ours_pass(third_parties: dict[str, str]) -> None:
    code = (
        "import sys; from attnviz import testing; from attnviz.recipes import RECIPES\n"
        "from attnviz.training.run_file import config_of\n"
        "for name in sys.argv[1:]:\n"
        "    recipe = RECIPES[f'{name}.digits']\n"
        "    unused = ['location', 'warmth']  # taps that are only read\n"
        "    checked = testing.check_model(recipe.model, config_of(recipe), unused=unused)\n"
        "    print(len(testing.taps_of(checked)))\n"
        "testing.check_model('colour_stages', {'classes': ('a', 'b', 'c'), 'channels': 3}, unused=['warmth'])\n"
        "for name in ('chance_looks', 'colour_stages'):\n"
        "    testing.check_mechanism(name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *TRAINED],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **third_parties},
    )
    assert done.returncode == 0, done.stderr
    assert all(int(taps) > 0 for taps in done.stdout.split())


def test_its_probes_stand_in_the_curve(third_parties: dict[str, str]) -> None:
    curve = card(third_parties, "colour_stages")["runs"][0]["curve"]
    assert all(0 < share < 1 for share in curve["tap_zeros of stages.0.after_relu"])


def test_its_weights_still_say_what_the_card_says(third_parties: dict[str, str]) -> None:
    lines = attnviz(*(f"evaluate {name}.digits" for name in TRAINED), env=third_parties).splitlines()
    assert {line.partition(".")[0] for line in lines} == set(TRAINED)
    for line in lines:
        found, stated = line.split("; its card records ")
        assert found.rpartition(": ")[2] == stated


def test_they_are_listed_and_their_tables_are_rendered_beside_ours(third_parties: dict[str, str]) -> None:
    tables = attnviz("checkpoints", "results", env=third_parties)
    assert all(f"{name}.digits " in tables for name in TRAINED)
    assert "Short strips, digit by digit (`strip_reader.digits`), 2 seeds" in tables
    assert "## Stages in Colour\n\nSomebody, 2026." in tables
    assert "Strayed digits by chance (`chance_looks.digits`), 2 seeds" in tables
    assert "## Multi-Head Attention For Binary Classification" in tables


def test_nothing_of_attnviz_names_it() -> None:
    root = Path(__file__).parents[2]
    for path in [root / "app.py", *(root / "pages").glob("*.py"), *(root / "attnviz").rglob("*.*")]:
        if path.suffix in (".py", ".js", ".css", ".toml"):
            text = path.read_text()
            assert not any(name in text for name in ("chance_looks", "strayed_digits", "coloured_digits")), path
