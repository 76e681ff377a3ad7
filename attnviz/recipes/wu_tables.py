"""The figures of "Investigating Attention Mechanisms for Variant MNIST Datasets", and the recipes that match them."""

from attnviz.recipes import wu
from attnviz.recipes.paper import Paper, PaperFigure, Question, Retraining
from attnviz.recipes.recipe import Recipe

_TABLE_1, _TABLE_2 = "Table 1, test accuracy", "Table 2, test accuracy"


def _figure(what: str, where: str, value: float | None, *recipes: Recipe) -> PaperFigure:
    return PaperFigure(what=what, where=where, value=value, checkpoints=tuple(recipe.key for recipe in recipes))


_BLOCKS, _FASHION_BLOCKS = wu.CLUTTERED_NETS[1], wu.FASHION_NETS[1]

PAPER = Paper(
    name="wu",
    title="Investigating Attention Mechanisms for Variant MNIST Datasets",
    source="Wu, Xu, Lee, 2018",
    first=(Question(checkpoint=wu.OURS.key), Question(checkpoint=_BLOCKS.key)),
    questions=(
        Question(checkpoint=wu.OURS.key, figure="accuracy_one_draw", what="one path instead of ten"),
        Question(checkpoint=wu.OURS.key, figure="accuracy_one_draw", ablation="mean", what="one path instead of ten"),
        Question(checkpoint=wu.SHORT.key),
        Question(checkpoint=_BLOCKS.key, control=wu.PLAIN.key),
    ),
    retrainings=(
        Retraining(
            title=wu.OURS.title, ablated=wu.OURS.key, ablation=wu.OURS.ablations[1], retrained=wu.RANDOM.key,
            instead=("locations of another picture", "random locations"),
        ),
        Retraining(
            title=wu.SHORT.title, ablated=wu.SHORT.key, ablation=wu.SHORT.ablations[0], retrained=wu.RING.key,
            instead=("mean locations", "locations on a ring"),
        ),
    ),
    figures=(
        _figure("Cluttered digits, 4 glimpses, 3 scales of 12 x 12, Adam", _TABLE_1, 0.927, wu.CLUTTERED_4),
        _figure("Cluttered digits, 6 glimpses", _TABLE_1, 0.919, wu.CLUTTERED_6, wu.AS_PUBLISHED),
        _figure("Cluttered digits, 8 glimpses", _TABLE_1, 0.935, wu.CLUTTERED_8),
        _figure("Cluttered digits, 6 glimpses, SGD at 0.01", _TABLE_1, 0.910, wu.CLUTTERED_SGD_2),
        _figure("Cluttered digits, 6 glimpses, SGD at 0.001", _TABLE_1, 0.919, wu.CLUTTERED_SGD_3),
        _figure("Fashion-MNIST, 6 glimpses, 1 scale of 8 x 8", _TABLE_1, 0.856, wu.FASHION_8X8X1),
        _figure("Fashion-MNIST, 6 glimpses, 3 scales of 7 x 7", _TABLE_1, 0.867, wu.FASHION_7X7X3),
        _figure("Cluttered digits, the convolutional network", f"{_TABLE_1}, and Table 2", 0.944, wu.PLAIN),
        _figure("Fashion-MNIST, the convolutional network", _TABLE_2, 0.9261, wu.FASHION_PLAIN),
        _figure(
            "Cluttered digits, attention over blocks", _TABLE_2, 0.951, _BLOCKS, wu.PLAIN, *wu.CLUTTERED_NETS[2:]
        ).model_copy(update={"compared": (_BLOCKS.key,)}),
        _figure(
            "Fashion-MNIST, attention over blocks", _TABLE_2, 0.9205, _FASHION_BLOCKS, wu.FASHION_PLAIN,
            *wu.FASHION_NETS[2:]
        ).model_copy(update={"compared": (_FASHION_BLOCKS.key,)}),
        _figure(
            "Not in the paper: whether the model learns where to look", "accuracy on cluttered digits", None,
            wu.OURS, wu.EVERY_GLIMPSE, wu.RANDOM, wu.SHORT, wu.RING, wu.CENTRE, wu.ORACLE, wu.MLP, wu.LINE,
        ).model_copy(update={"compared": (wu.OURS.key, wu.SHORT.key)}),
        _figure(
            "Not in the paper: a policy that does not collapse", "accuracy on Fashion-MNIST", None,
            wu.FASHION, wu.FASHION_FREE, wu.FASHION_RING, wu.FASHION_MLP,
        ).model_copy(update={"compared": (wu.FASHION.key,)}),
        _figure("Not in the paper: digits in glimpses", "accuracy on MNIST's test pictures", None,
                wu.DIGITS_TWO_SCALES, wu.DIGITS_GLIMPSES),
        _figure("Not in the paper: digits in blocks", "accuracy on MNIST's test pictures", None, wu.DIGITS_BLOCKS),
    ),
)  # fmt: skip
