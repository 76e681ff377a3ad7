"""A request to train or search a recipe with other settings; the same request always has the same name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import ValidationError

from attnviz import recipes
from attnviz.errors import BadInput
from attnviz.recipes.altered import altered
from attnviz.recipes.recipe import Recipe, Strict


class Asked(Strict):
    """A recipe with changes; subclasses add what else can be asked for.

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
        """Return what is asked for from its fields, which may come from anywhere.

        Raises:
            BadInput: one of them makes no sense.
        """
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise BadInput(f"The {cls.kind} cannot be started: {where}: {first['msg']}.") from error
