"""The results of a paper, and the recipes that reproduce them: figures, tables, and comparisons of two trainings."""

from typing import Self

from pydantic import Field, model_validator

from attnviz.recipes.recipe import Ablation, Strict


class PaperFigure(Strict):
    """One number from a paper, or a question that the paper leaves open.

    Args:
        what, where: in words, the model; the measure and the data it was measured on.
        value: the paper's value in its unit, or None if there is none.
        tested: whether it was measured on the test pictures of the data set. A value for other pictures, such as a
            held-out part, is compared in words only.
        unit: as in `attnviz.card.Figure`; a share is in 0..1.
        checkpoints: our corresponding checkpoints, the controls last.
        compared: those of them that are compared with all others, picture by picture.
    """

    what: str
    where: str
    value: float | None
    tested: bool = True
    unit: str = "share"
    checkpoints: tuple[str, ...]
    compared: tuple[str, ...] = ()


class PaperColumn(Strict):
    """A column of a paper's table.

    Args:
        title: the measure, in words.
        of: the corresponding value on a card: "parameters"; a curve at the epoch that was kept, such as "loss_sum"; or
            the name of a figure, on the first test that measures it.
        unit: unit of both values, see `attnviz.card.Figure`.
    """

    title: str
    of: str = "accuracy"
    unit: str = "share"


class PaperRow(Strict):
    """A row of a paper's table: our checkpoint, and the paper's value in each column, or None."""

    checkpoint: str
    values: tuple[float | None, ...]


class PaperTable(Strict):
    """A table of a paper, printed next to our values."""

    title: str
    columns: tuple[PaperColumn, ...] = Field(min_length=1)
    rows: tuple[PaperRow, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if any(len(row.values) != len(self.columns) for row in self.rows):
            raise ValueError("each row needs a value, or None, in each column")
        return self


class Question(Strict):
    """The value of a mechanism: a comparison of a trained model with a control, in one figure.

    Args:
        checkpoint: name of the checkpoint with the mechanism.
        control: the checkpoint to compare it with; None uses the control that its recipe names.
        ablation: compare it with itself instead, with a part replaced by this ablation of its recipe; there is then no
            other control.
        figure: name of a figure of the main test, a share of pictures.
        what: a short description of the comparison; empty if the two names are enough.
        longer: the checkpoint of the same model trained for longer, compared with its own control in the same row, or
            None.
    """

    checkpoint: str
    control: str | None = None
    ablation: str | None = None
    figure: str = "accuracy"
    what: str = ""
    longer: str | None = None


class Retraining(Strict):
    """A part of a mechanism that is replaced twice: in the trained model, and from the start of another training.

    Args:
        title: the mechanism and the data.
        ablated: the checkpoint with the mechanism; its card has `ablation`.
        ablation: the part replaced in it.
        retrained: the checkpoint of the training without the mechanism.
        instead: short descriptions of the replacement, after training and from the start.
    """

    title: str
    ablated: str
    ablation: Ablation
    retrained: str
    instead: tuple[str, str]


class Paper(Strict):
    """A paper, with its figures next to ours and those of the controls, and its tables, row by row.

    Args:
        figures, tables: the paper's figures and tables.
        note: what readers must know before they read the tables, in complete sentences; Markdown.
        first: questions that begin docs/results.md and the results page, even if the answer is against the mechanism.
        questions: further questions at the beginning of the results.
        retrainings: parts that are replaced both after training and from the start of another training.
    """

    name: str
    title: str
    source: str
    figures: tuple[PaperFigure, ...] = ()
    tables: tuple[PaperTable, ...] = ()
    note: str = ""
    first: tuple[Question, ...] = ()
    questions: tuple[Question, ...] = ()
    retrainings: tuple[Retraining, ...] = ()

    @property
    def checkpoints(self) -> tuple[str, ...]:
        """All of our checkpoints that correspond to the paper, without repetition."""
        figures = (name for figure in self.figures for name in figure.checkpoints)
        rows = (row.checkpoint for table in self.tables for row in table.rows)
        return tuple(dict.fromkeys((*figures, *rows)))
