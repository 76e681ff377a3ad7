"""The tables of axes and of tap names: the meaning of each, its range, what sums to one, and hence how it is coloured.

The layers here may only use names from these tables, so that a word means the same in every model. Your own layer may
tap under any name, which is drawn plainly unless you register a role for it. Your own axis must be registered before a
tap uses it.

    register_axis("frame", "Pictures of a film.")
    register_role("flow", Role(("batch frame row column",), "How far a pixel has moved.", "signed"))
"""

from dataclasses import dataclass
from typing import Literal, TypeVar

from attnviz.errors import BadInput, closest

_Entry = TypeVar("_Entry")
Range = Literal["signed", "unit", "positive"]

AXES: dict[str, str] = {
    "batch": "Pictures.",
    "head": "Attention heads.",
    "query": "Tokens, or output steps, that attend.",
    "key": "Tokens that are attended to.",
    "token": "Tokens.",
    "feature": "Numbers of a token, or of one head's vectors.",
    "source_feature": "Features that are taken from, where features attend to features.",
    "target_feature": "Features that take, where features attend to features.",
    "channel": "Channels of a picture or of a feature map.",
    "row": "Rows, from the top.",
    "column": "Columns, from the left.",
    "class": "Classes.",
    "glimpse": "Glimpses, in their order.",
    "scale": "Patches of one glimpse, each twice as wide as the one before.",
    "layer": "Layers, in their order.",
    "step": "Steps of a recurrent network, in their order.",
    "window": "Windows of a picture, within which tokens attend to each other.",
}


@dataclass(frozen=True)
class Role:
    """The meaning of a tap's name, and the axes and values that it promises.

    Args:
        axes: the axes strings that a tap of this name may declare.
        meaning: one sentence for readers.
        range: signed (any number), unit (0 to 1) or positive (0 or more).
        sums_to_one: the axis along which the values sum to one, or None.
        attends: how the values rank the positions of a picture, so that they can be compared with other maps:
            "weights", where larger means more; "points", the attended (x, y) in -1 to 1; "" if they do not.
    """

    axes: tuple[str, ...]
    meaning: str
    range: Range
    sums_to_one: str | None = None
    attends: Literal["", "weights", "points"] = ""

    @property
    def colouring(self) -> Literal["share", "signed", "unit", "positive"]:
        """The colour scale: multiples of an even share, centred on zero, from 0 to 1, or from 0 up."""
        return "share" if self.sums_to_one else self.range


_PER_HEAD = ("batch head token feature", "batch window head token feature")
_PAIRS = ("batch head query key", "batch window head query key")
_STEP_PAIRS = (*_PAIRS, "batch head key")  # all steps of the output at once, or tapped per="step"
_STEPS = ("batch query feature", "batch feature")
_FEATURE_PAIRS = ("batch token target_feature source_feature",)
_MAPS = ("batch channel row column",)
_MAPS_PER_HEAD = ("batch head channel row column",)
_CHANNELS = ("batch channel",)
_PLACES = ("batch row column",)
_VECTOR = ("batch feature",)
_ANY_MAPS = ("batch token feature", "batch query feature", *_MAPS)

ROLES: dict[str, Role] = {
    # attention among tokens
    "code": Role(("token feature",), "The position code that is joined to each token.", "signed"),
    "query": Role(_PER_HEAD, "What a token is looking for.", "signed"),
    "key": Role(_PER_HEAD, "What a token offers to queries.", "signed"),
    "value": Role(_PER_HEAD, "What a token passes on to those that attend to it.", "signed"),
    "scores": Role(_PAIRS, "Query times key over the root of the head size, before the softmax.", "signed"),
    "weights": Role(_STEP_PAIRS, "How much of each key's value a query takes.", "unit", "key", "weights"),
    "mixed": Role(_PER_HEAD, "The values, averaged with the weights.", "signed"),
    "embedded": Role(("batch token feature",), "The patches of the picture, as tokens.", "signed"),
    "feed_forward": Role(("batch token feature",), "What the feed-forward network adds to each token.", "signed"),
    "joined": Role(_ANY_MAPS, "The outputs of all heads, side by side, plus the token itself.", "signed"),
    "output": Role(_ANY_MAPS, "The output of the layer.", "signed"),
    "feature_scores": Role(_FEATURE_PAIRS, "Products of one token's features, before the softmax.", "signed"),
    "feature_weights": Role(
        _FEATURE_PAIRS, "How much of each feature of a token goes into another feature of the same token.", "unit",
        sums_to_one="source_feature",
    ),
    # element-wise attention
    "input": Role(_MAPS, "The input of the layer.", "signed"),
    "x_product": Role(_MAPS_PER_HEAD, "The input times the learnt x weights.", "signed"),
    "x_relevance": Role(_MAPS_PER_HEAD, "The softmax of x_product along each row.", "unit", sums_to_one="column"),
    "y_product": Role(_MAPS_PER_HEAD, "The input times the learnt y weights.", "signed"),
    "y_relevance": Role(_MAPS_PER_HEAD, "The softmax of y_product along each column.", "unit", sums_to_one="row"),
    "relevance": Role(_MAPS_PER_HEAD, "x_relevance times y_relevance; sums to about one, not exactly.", "positive",
    attends="weights"),
    "normed_relevance": Role(_MAPS_PER_HEAD, "The relevance after its normalisation; may be negative.", "signed"),
    "attended": Role(_MAPS_PER_HEAD, "The input times the normed relevance, before the convolution.", "signed"),
    "before_norm": Role(_ANY_MAPS, "The sum with the skip connection, before the normalisation.", "signed"),
    # convolution blocks
    "before_conv": Role(_MAPS, "The input of the convolution.", "signed"),
    "after_conv": Role(_MAPS, "The output of the convolution.", "signed"),
    "after_norm": Role(_ANY_MAPS, "The output of the normalisation; the same as before_norm if there is none.",
    "signed"), "after_relu": Role(_MAPS, "The output of ReLU.", "positive"),
    "after_skip": Role(_MAPS, "The sum with the skip connection, before ReLU.", "signed"),
    "after_pool": Role(_MAPS, "The output of pooling.", "positive"),
    # glimpses; each is tapped per="glimpse"
    "location_mean": Role(_VECTOR, "Where the model intends to look, (row, column) in -1 to 1.", "signed"),
    "location": Role(_VECTOR, "Where it looks, (row, column) in -1 to 1.", "signed"),
    "patches": Role(("batch scale row column", "batch scale channel row column"), "What it sees there.", "unit"),
    "what": Role(_VECTOR, "Features of what is seen.", "signed"),
    "where": Role(_VECTOR, "Features of where it is seen.", "signed"),
    "glimpse": Role(_VECTOR, "The sum of what and where, after ReLU.", "positive"),
    "hidden": Role(_VECTOR, "The state that the model carries from glimpse to glimpse.", "positive"),
    "belief": Role(("batch class",), "The probability of each class so far.", "unit", sums_to_one="class"),
    "baseline": Role(("batch",), "The reward that the model expects.", "signed"),
    # attention over channels and places
    "features": Role(_MAPS, "The feature maps before they are scaled.", "signed"),
    "squeezed": Role(_CHANNELS, "The mean of each channel.", "signed"),
    "squeezed_max": Role(_CHANNELS, "The maximum of each channel.", "signed"),
    "reduced": Role(_VECTOR, "The narrow layer between the squeezed channels and the gate.", "positive"),
    "reduced_max": Role(_VECTOR, "The narrow layer, computed from the maxima.", "positive"),
    "gate": Role(_CHANNELS, "The factor of each channel.", "unit"),
    "scaled": Role(_MAPS, "The feature maps times their gates.", "signed"),
    "channel_score": Role(_CHANNELS, "What each channel adds to the gate, before the sigmoid.", "signed"),
    "space_score": Role(_PLACES, "What each place adds to the gate, before the sigmoid.", "signed"),
    "full_gate": Role(_MAPS, "The factor of each channel at each place.", "unit", attends="weights"),
    "space_summary": Role(_MAPS, "Mean and maximum over the channels at each place.", "signed"),
    "space_gate": Role(_PLACES, "The factor of each place.", "unit", attends="weights"),
    "scaled_twice": Role(_MAPS, "The feature maps times the gates of channels and places.", "signed"),
    "trunk": Role(_MAPS, "The feature maps that a mask is laid over.", "signed"),
    "trunk_mask": Role(_MAPS, "The mask that is laid over the feature maps.", "unit", attends="weights"),
    # spatial transformer
    "theta": Role(_PLACES, "The transform, a matrix of two rows and three columns.", "signed"),
    "sampling_grid": Role(
        ("batch row column feature",), "Where each pixel comes from, (x, y) in -1 to 1.", "signed", attends="points"
    ),
    "transformed": Role(_MAPS, "The picture after the transform.", "signed"),
    # sequences
    "columns": Role(("batch token feature",), "Features of the columns of a strip.", "positive"),
    "annotation": Role(("batch key feature",), "The output of the encoder for each column.", "signed"),
    "context": Role(_STEPS, "The input of the decoder at each step, from the encoder.", "signed"),
    "state": Role(_STEPS, "The state of the decoder.", "signed"),
    "energies": Role(_STEP_PAIRS, "Additive scores, before the softmax.", "signed"),
    "mask": Role(("query key",), "1 where a step may look, 0 where it may not.", "unit"),
    "logits": Role(("batch query class", "batch class"), "The scores of the classes.", "signed"),
    # measures
    "jacobian": Role(
        (*_MAPS, "batch class channel row column"), "How the logit changes with each number of the picture.", "signed"
    ),
    "input_times_gradient": Role((*_PLACES, "batch class row column"), "The picture times its Jacobian.", "signed"),
}  # fmt: skip


def role_of(path: str) -> Role:
    """Return the role of a tap by the last word of its path, or a plain role if that name is not in the table."""
    name = path.rpartition(".")[2]
    return ROLES.get(name) or Role((), f"No role is registered for {name!r}, so it is drawn plainly.", "signed")


def register_role(name: str, role: Role) -> None:
    """Register the meaning of your own tap name, so that pages draw it accordingly.

    Args:
        name: one word, which may contain _.
        role: its role. Registering the same name with the same role again is allowed.

    Raises:
        BadInput: the name is not a word or is taken with another role, or the role has an unknown axis.
    """
    for axes in role.axes:
        for axis in axes.split():
            if axis not in AXES:
                raise BadInput(
                    f"The role {name!r} has the axis {axis!r}, which must be registered before. {closest(axis, AXES)}"
                )
        if role.sums_to_one and role.sums_to_one not in axes.split():
            raise BadInput(f"The role {name!r} must sum to one along an axis of {axes!r}, not {role.sums_to_one!r}.")
    if role.range not in ("signed", "unit", "positive"):
        raise BadInput(f"The range of the role {name!r} must be signed, unit or positive, not {role.range!r}.")
    _put(ROLES, "role", name, role)


def register_axis(name: str, meaning: str) -> None:
    """Add your own axis to the words that an axes string may contain.

    Args:
        name: one word, which may contain _.
        meaning: one sentence. Registering the same name with the same meaning again is allowed.

    Raises:
        BadInput: the name is not a word, or is taken with another meaning.
    """
    _put(AXES, "axis", name, meaning)


def _put(table: dict[str, _Entry], kind: str, name: str, entry: _Entry) -> None:
    if not name.isidentifier():
        raise BadInput(f"The name of a new {kind} must be one word, such as my_{kind}, not {name!r}.")
    if table.setdefault(name, entry) != entry:
        raise BadInput(f"The {kind} {name!r} already has another meaning: choose another name.")
