"""How the models are trained: one file a paper, with the figures that the paper gives."""

from attnviz.errors import UnknownName
from attnviz.recipes import schwarz
from attnviz.recipes.recipe import Paper as Paper
from attnviz.recipes.recipe import Recipe as Recipe

RECIPES: dict[str, Recipe] = {recipe.key: recipe for recipe in schwarz.RECIPES}
PAPERS: dict[str, Paper] = {paper.name: paper for paper in (schwarz.PAPER,)}


def recipe(model: str, name: str) -> Recipe:
    """Return the recipe of that name for a model.

    Raises:
        UnknownName: there is no such model, or it has no such recipe; those there are are listed.
    """
    if model not in (trained := list(dict.fromkeys(r.model for r in RECIPES.values()))):
        raise UnknownName("model", model, trained)
    if f"{model}.{name}" not in RECIPES:
        raise UnknownName(f"recipe for {model}", name, [r.name for r in RECIPES.values() if r.model == model])
    return RECIPES[f"{model}.{name}"]


def paper(name: str) -> Paper:
    """Return a paper's figures by the name of its file.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in PAPERS:
        raise UnknownName("paper", name, PAPERS)
    return PAPERS[name]
