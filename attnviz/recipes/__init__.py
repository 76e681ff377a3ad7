"""How the models are trained: one file per paper, together with the paper's own figures.

Another package can add a module with RECIPES, and optionally a PAPER, through the entry point group `attnviz.recipes`
(attnviz/extensions.py).
"""

from typing import Any

from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.recipes import (
    bacochina,
    bacochina_tables,
    bahdanau,
    dosovitskiy,
    hu,
    jaderberg,
    schwarz,
    vaswani,
    wu,
    wu_tables,
)  # fmt: skip
from attnviz.recipes.axes import Axis
from attnviz.recipes.paper import Paper as Paper
from attnviz.recipes.recipe import Recipe as Recipe

MODULES = (schwarz, bacochina, wu, dosovitskiy, hu, jaderberg, bahdanau, vaswani)
PAPER_MODULES = (schwarz, bacochina_tables, wu_tables, dosovitskiy, hu, jaderberg, bahdanau, vaswani)  # with a PAPER


def _recipes(name: str, module: Any) -> dict[str, Recipe]:
    return {recipe.key: recipe for recipe in module.RECIPES}


def _papers(name: str, module: Any) -> dict[str, Paper]:
    return {module.PAPER.name: module.PAPER} if hasattr(module, "PAPER") else {}


RECIPES = Table("recipes", {key: one for module in MODULES for key, one in _recipes("", module).items()}, _recipes)
PAPERS = Table("recipes", {name: one for module in PAPER_MODULES for name, one in _papers("", module).items()}, _papers)


VARIED: dict[str, tuple[Axis, ...]] = {
    key: axes for module in MODULES for key, axes in getattr(module, "VARIED", {}).items()
}
"""Recipe -> the axes that its paper searched, if the paper states them."""


def recipe(model: str, name: str) -> Recipe:
    """Return a model's recipe by name.

    Raises:
        UnknownName: the model or its recipe does not exist; the existing names are listed.
    """
    if model not in (trained := list(dict.fromkeys(r.model for r in RECIPES.values()))):
        raise UnknownName("model", model, trained)
    if f"{model}.{name}" not in RECIPES:
        raise UnknownName(f"recipe for {model}", name, [r.name for r in RECIPES.values() if r.model == model])
    return RECIPES[f"{model}.{name}"]


def paper(name: str) -> Paper:
    """Return a paper's figures by the name of its module."""
    if name not in PAPERS:
        raise UnknownName("paper", name, PAPERS)
    return PAPERS[name]
