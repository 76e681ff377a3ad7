"""The requests of jobs and searches, and their folders: finding, reading, writing and locking them.

FOLDERS = Folders(Order, "job", ".jobs", "order.json")
FOLDERS.ids(); FOLDERS.read(job)
with FOLDERS.alone(): ...
"""

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
"""The maximum number of bytes of a settings file, and of the end of a log that is read."""

_PATIENCE = 10  # seconds to wait while another process starts a job or a search


class Asked(Strict):
    """A request to train or search a recipe with changes; subclasses add other fields.

    The same request always has the same name.

    Args:
        model, recipe: the two names of the recipe.
        changes: its changed settings, as read by `attnviz.recipes.altered`.
    """

    kind: ClassVar[str]
    """The kind of request in a word: "training"."""

    unnamed: ClassVar[frozenset[str]]
    """The fields that do not affect its name."""

    model: str
    recipe: str
    changes: dict[str, str] = {}

    @property
    def id(self) -> str:
        """Its name: the recipe, and a digest of all fields except those in `unnamed`."""
        what = self.model_dump(mode="json", exclude=set(self.unnamed))
        digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
        return f"{self.model}.{self.recipe}.{digest[:10]}"

    def made(self) -> Recipe:
        """Return the recipe with its changes."""
        return altered(recipes.recipe(self.model, self.recipe), self.changes)

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Return the request with the given fields, which may be user input."""
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
        kind: the type of request in each folder.
        word: the noun for one of them: "job".
        place: the name of their folder, next to the runs.
        file: the name of the file with the request in each folder.
    """

    kind: type[Kind]
    word: str
    place: str
    file: str

    def folder(self) -> Path:
        """Return the folder that contains all of them."""
        return runs.folder() / self.place

    def ids(self) -> list[str]:
        """Return the names of all, in alphabetical order."""
        with suppress(OSError), os.scandir(self.folder()) as entries:
            return sorted(
                one.name for one in entries if is_name(one.name) and files.is_there(f"{one.path}/{self.file}")
            )
        return []

    def home(self, name: str) -> Path:
        """Return the folder of a name, which may be user input: an invalid name never becomes part of a path."""
        if not is_name(name) or not files.is_there(self.folder() / name / self.file):
            raise UnknownName(self.word, name, self.ids())
        return self.folder() / name

    def read(self, name: str) -> Kind:
        """Return the request of a name, which may be user input. UnknownName: there is no such name; RunError: its file
        cannot be read.
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
        """Write a request, and return its folder. The caller holds the lock."""
        home = self.folder() / asked.id
        home.mkdir(exist_ok=True)
        files.write(home / self.file, asked.model_dump_json(indent=1) + "\n")
        return home

    def remove(self, name: str, its_runs: Iterable[str]) -> None:
        """Remove a folder and its own runs. The caller holds the lock."""
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
    """Return the process named in a file, or None."""
    with suppress(OSError, ValidationError):
        return Identity.model_validate_json(files.read(path, LARGEST), strict=False)
    return None


def last_words(log: Path) -> str | None:
    """Return the last complete line in a process's log, or None if there is none or it is truncated."""
    try:
        text = files.end(log, LARGEST).decode(errors="replace")
    except OSError:
        return None
    lines = text.split("\n")
    if lines.pop():  # an unfinished line, such as a progress bar
        return None
    return next((line.strip()[:1000] for line in reversed(lines) if line.strip() and "\r" not in line), None)
