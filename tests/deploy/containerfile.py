"""Reads the Containerfile of the repository, as far as the tests ask about it."""

import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the last stage: the word, and what follows it on one line."""
    text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = [(word, rest) for word, rest in lines]
    last = max(place for place, (word, _) in enumerate(found) if word == "FROM")
    return found[last:]


def of(word: str) -> list[str]:
    """Return what follows each instruction of that word."""
    return [rest for one, rest in instructions() if one == word]


def copied() -> dict[Path, Path]:
    """Return what is copied of the repository, and where to below the working folder of the image."""
    found = {}
    for rest in of("COPY"):
        *sources, target = shlex.split(rest)
        if not sources[0].startswith("--from"):
            for source in sources:
                into = Path(target) / Path(source).name if target.endswith("/") else Path(target)
                found[Path(source)] = into
    return found


def environment() -> dict[str, str]:
    """Return the variables that are set."""
    return dict(pair.split("=", 1) for rest in of("ENV") for pair in shlex.split(rest))
