"""The words of the command line, attnviz/command_line.py: what is read, what is refused, what the help says."""

import argparse
from collections import defaultdict
from typing import Any

import pytest

from attnviz import command_line


def _pass(_: argparse.Namespace) -> None:
    pass


PARSER = command_line.parser(defaultdict(lambda: _pass))


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("train m --recipe r", {"seeds": [0], "device": "auto", "threads": None, "run_only": False, "set": []}),
        ("train m --recipe r --seeds 0-2,5 --set heads=2 --set epochs=3", {
            "seeds": [0, 1, 2, 5], "set": ["heads=2", "epochs=3"],
        }),
        ("cost m --recipe r --json", {"threads": 1, "json": True}),
        ("history a.b.0123 0-8,12", {"run_id": "a.b.0123", "epochs": [*range(9), 12]}),
        ("jobs list", {"action": "list", "json": False}),
        ("jobs", {"action": "list", "json": False}),
        ("jobs --json", {"action": "list", "json": True}),
        ("jobs --json list", {"action": "list", "json": True}),
        ("lessons list mine --json", {"action": "list", "folder": "mine", "json": True}),
        ("lessons", {"action": "list", "folder": None, "json": False}),
        ("jobs start m --recipe r --minutes 1.5", {"action": "start", "minutes": 1.5, "no_limits": False}),
        ("jobs keep run 4 mine", {"action": "keep", "run_id": "run", "epoch": 4, "word": "mine"}),
        ("jobs pull s3://a/b.zip --as mine", {"url": "s3://a/b.zip", "word": "mine"}),
        ("search", {"model": None, "recipe": None, "trials": 33, "workers": 1, "vary": [], "seconds": 60.0}),
        ("lessons handout out", {"action": "handout", "words": ["out"], "address": ""}),
        ("lessons handout heads out", {"action": "handout", "words": ["heads", "out"], "address": ""}),
        ("lessons play mine", {"action": "play", "folder": "mine", "alone": False, "options": []}),
        ("lessons play --alone mine", {"action": "play", "folder": "mine", "alone": True, "options": []}),
        (
            "app",
            {
                **dict.fromkeys(("port", "address", "lessons", "data", "runs", "model", "timm", "weights", "photos")),
                "record": None,
                "no_browser": False,
            },
        ),
        ("app --port 8600 --no-browser", {"port": 8600, "no_browser": True}),
        ("results --write", {"write": True}),
        ("reproduce schwarz --train", {"paper": "schwarz", "train": True, "device": "auto"}),
    ],
    ids=str,
)  # fmt: skip
def test_words_are_read_and_what_is_left_out_is_the_default(line: str, read: dict[str, Any]) -> None:
    found = vars(PARSER.parse_args(line.split()))
    assert {name: found[name] for name in read} == read


def test_each_command_runs_what_was_given_for_it() -> None:
    given: dict[str, Any] = {}

    class Noted(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            return given.setdefault(name, object())

    parser = command_line.parser(Noted())
    needs = {"data": "x", "history": "x 0", "train": "x --recipe r", "cost": "x --recipe r", "jobs": "list"}
    needs |= {
        "lessons": "check x",
        "evaluate": "x",
        "reproduce": "x",
        "answers": "x y",
        "heads": "x y",
        "figure": "x y -o z.svg",
        "view": "x y",
    }
    assert len(given) == 21
    for name, action in given.items():
        assert parser.parse_args([name, *needs.get(name, "").split()]).run is action


@pytest.mark.parametrize(
    "line",
    [
        "", "modles", "models all", "results --wriet", "train m", "train m --recipe r --threads two", "jobs all",
        "train m --recipe r --seeds many", "history run", "history run 3-1", "lessons check", "jobs keep run last mine",
        "search m --recipe r --trials many",
    ],
)  # fmt: skip
def test_wrong_words_are_refused(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with pytest.raises(SystemExit) as ended:
        PARSER.parse_args(line.split())
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["app", "view m p"])
@pytest.mark.parametrize("port", ["-5", "0", "65536", "9" * 5000, "eight"])
def test_it_says_what_a_port_is(capsys: pytest.CaptureFixture[str], command: str, port: str) -> None:
    with pytest.raises(SystemExit) as ended:
        PARSER.parse_args([*command.split(), f"--port={port}"])
    assert ended.value.code == 2
    assert f"expected a whole number from 1 to 65535, not {port!r}" in capsys.readouterr().err
    assert PARSER.parse_args([*command.split(), "--port=65535"]).port == 65535


def test_it_says_what_seeds_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        PARSER.parse_args(["train", "m", "--recipe", "r", "--seeds", "4-0"])
    said = capsys.readouterr().err
    assert "Seeds must be distinct numbers below a million, such as 3, 0-4 or 0-2,5, not '4-0'." in said


@pytest.mark.parametrize(
    ("command", "sentences"),
    [
        ("train", [
            "MODEL a name that `attnviz models` lists",
            "--recipe RECIPE a recipe of that model, such as 1v8; `attnviz models` lists them",
        ]),
        ("evaluate", ["NAME MODEL.RECIPE; `attnviz checkpoints` lists them"]),
        ("reproduce", ["PAPER schwarz"]),
        ("data", ["mnist, fashion_mnist, cifar10"]),
    ],
    ids=str,
)  # fmt: skip
def test_the_help_says_what_words_mean(capsys: pytest.CaptureFixture[str], command: str, sentences: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        PARSER.parse_args([command, "--help"])
    assert ended.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    for sentence in sentences:
        assert sentence in said
