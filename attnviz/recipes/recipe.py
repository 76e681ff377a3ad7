"""What a recipe is, and what a paper gives to compare with."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Read exactly what is declared, or say what is wrong; never changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Test(Strict):
    """A set of pictures that a trained model is tested on, once.

    Args:
        data, split: which data set, which part.
        count: the first so many of its pictures of the recipe's classes; None for all.
    """

    data: str
    split: Literal["train", "test"] = "test"
    count: int | None = None


class Recipe(Strict):
    """How one model is trained, in full.

    Args:
        model, name: together the name of the checkpoint, `MODEL.NAME`.
        why: one line on what it is there for.
        title: what people read in a list.
        config: the model's, all but `classes`.
        data, classes: the data set, its training part, and the labels kept of it, in the order of the answers.
        validation: the share of the training part that is split off at random to choose by, the same for all seeds.
        loss: cross entropy; for two classes with one logit the binary one.
        learning_rate, batch, epochs, patience: of the optimiser; at most so many epochs, and none of them after
            `patience` epochs without a smaller validation loss. The weights of the smallest one are kept.
        tests: what the trained model is tested on.
    """

    model: str
    name: str
    why: str
    title: str
    config: dict[str, Any]
    data: str
    classes: tuple[int, ...]
    validation: float = Field(gt=0, lt=1)
    loss: Literal["cross_entropy"] = "cross_entropy"
    optimiser: Literal["adam"] = "adam"
    learning_rate: float = Field(gt=0)
    batch: int = Field(gt=0)
    epochs: int = Field(gt=0)
    patience: int = Field(gt=0)
    tests: tuple[Test, ...]

    @property
    def key(self) -> str:
        """The name of its checkpoint."""
        return f"{self.model}.{self.name}"


class PaperFigure(Strict):
    """One number that a paper gives.

    Args:
        what, where: in words: of which model; what was measured, on what.
        value: as a share, 0..1.
        checkpoints: ours that answer to it, the controls last.
    """

    what: str
    where: str
    value: float
    checkpoints: tuple[str, ...]


class Paper(Strict):
    """A paper and its figures."""

    name: str
    title: str
    source: str
    figures: tuple[PaperFigure, ...]
