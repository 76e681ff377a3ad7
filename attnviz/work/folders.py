"""What jobs and searches are asked for, and the folders that they are kept in: found, read, written and locked.

FOLDERS = Folders(Order, "job", ".jobs", "order.json")
FOLDERS.ids(); FOLDERS.read(job)
with FOLDERS.alone(): ...
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from filelock import FileLock, Timeout
from pydantic import ValidationError

from attnviz import files, recipes
from attnviz.checkpoint_folder import is_name
from attnviz.errors import BadInput, RunError, UnknownName
from attnviz.recipes.altered import altered
from attnviz.recipes.recipe import Recipe, Strict
from attnviz.training import runs
from attnviz.work.processes import Identity

LARGEST = 2**16
"""Bytes of a file of settings, and of the end of a log that is read."""

_PATIENCE = 10  # seconds to wait while another process starts a job or a search


class Asked(Strict):
    """A request to train or search a recipe with changes; subclasses add what else can be asked for.

    The same request always has the same name.

    Args:
        model, recipe: a recipe by its two names.
        changes: settings of it that are changed, as `attnviz.recipes.altered` reads them.
    """

    kind: ClassVar[str]
    """What is asked for, in a word: "training"."""

    unnamed: ClassVar[frozenset[str]]
    """The fields that do not change its name."""

    model: str
    recipe: str
    changes: dict[str, str] = {}

    @property
    def id(self) -> str:
        """Its name: the recipe, and a digest of all fields but those in `unnamed`."""
        what = self.model_dump(mode="json", exclude=set(self.unnamed))
        digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
        return f"{self.model}.{self.recipe}.{digest[:10]}"

    def made(self) -> Recipe:
        """Return the recipe with its changes."""
        return altered(recipes.recipe(self.model, self.recipe), self.changes)

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Return what is asked for from its fields, which may come from anywhere."""
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise BadInput(f"The {cls.kind} cannot be started: {where}: {first['msg']}.") from error


Kind = TypeVar("Kind", bound=Asked)


@dataclass(frozen=True)
class Folders(Generic[Kind]):
    """The folders of all jobs, or of all searches.

    Args:
        kind: of the request that each folder keeps.
        word: what one of them is called: "job".
        place: the name of their folder, beside the runs.
        file: the name of the file in each that holds the request.
    """

    kind: type[Kind]
    word: str
    place: str
    file: str

    def folder(self) -> Path:
        """Return the folder that holds one folder for each."""
        return runs.folder() / self.place

    def ids(self) -> list[str]:
        """Return the names of all, in alphabetical order."""
        with suppress(OSError), os.scandir(self.folder()) as entries:
            return sorted(
                one.name for one in entries if is_name(one.name) and files.is_there(f"{one.path}/{self.file}")
            )
        return []

    def home(self, name: str) -> Path:
        """Return the folder of one, whose name can come from anywhere: no path is made of one that is none."""
        if not is_name(name) or not files.is_there(self.folder() / name / self.file):
            raise UnknownName(self.word, name, self.ids())
        return self.folder() / name

    def read(self, name: str) -> Kind:
        """Return what was asked for under a name that can come from anywhere; UnknownName if there is none, RunError if
        its file cannot be read.
        """
        path = self.home(name) / self.file
        try:
            found = self.kind.model_validate_json(files.read(path, LARGEST), strict=False)
        except (ValidationError, OSError) as error:
            raise RunError(f"{path} cannot be read. Delete the {self.word} and start it again.") from error
        if found.id != name:
            raise RunError(f"{path} belongs to the {self.word} {found.id}. Delete the {self.word} and start it again.")
        return found

    def write(self, asked: Kind) -> Path:
        """Write what is asked for, and return its folder. The caller holds the lock."""
        home = self.folder() / asked.id
        home.mkdir(exist_ok=True)
        files.write(home / self.file, asked.model_dump_json(indent=1) + "\n")
        return home

    def remove(self, name: str, its_runs: Iterable[str]) -> None:
        """Remove the folder of one, and runs of its own. The caller holds the lock."""
        try:
            for path in (*(runs.folder() / run for run in its_runs), self.folder() / name):
                if path.exists():
                    shutil.rmtree(path)
        except OSError as error:
            raise RunError(f"The {self.word} {name} cannot be removed: {files.reason(error)}.") from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of the whole folder inside the block."""
        try:
            runs.made()
            self.folder().mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder() / "lock", timeout=_PATIENCE):
                yield
        except Timeout as error:  # a subclass of OSError, hence before it
            raise RunError(f"Another process is starting a {self.kind.kind}. Try again in a moment.") from error
        except OSError as error:
            raise RunError(f"The folder {self.folder()} cannot be written: {files.reason(error)}.") from error


def identity(path: Path) -> Identity | None:
    """Return the process that a file names; None where it names none."""
    with suppress(OSError, ValidationError):
        return Identity.model_validate_json(files.read(path, LARGEST), strict=False)
    return None


def last_words(log: Path) -> str | None:
    """Return the last line that a process wrote; None where it was cut off or wrote none."""
    try:
        text = files.end(log, LARGEST).decode(errors="replace")
    except OSError:
        return None
    lines = text.split("\n")
    if lines.pop():  # an unfinished line, such as a progress bar
        return None
    return next((line.strip()[:1000] for line in reversed(lines) if line.strip() and "\r" not in line), None)
