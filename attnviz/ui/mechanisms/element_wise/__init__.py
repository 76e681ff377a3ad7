"""Element-wise attention: every pixel is weighted by its share of its row and of its column."""

from typing import TYPE_CHECKING, Any

from attnviz.ui.mechanisms.mechanism import Mechanism, later

if TYPE_CHECKING:
    from attnviz.ui.live.derived import Derived


def _derived() -> "tuple[Derived[Any], ...]":
    from attnviz.ui.mechanisms.element_wise import derived

    return derived.DERIVED


_BOOT = {"model": "element_wise.fashion-b", "data": "fashion_mnist", "number": 0}

MECHANISM = Mechanism(
    name="element_wise",
    title="Element-wise attention",
    question="What remains of a pixel after each step of a layer?",
    page="20_element_wise.py",
    url="element_wise",
    models=("element_wise",),
    controls=("vgg_control", "plain_conv"),
    panel=later(f"{__name__}.panels", "panel_of"),
    papers=("bacochina",),
    home=later(f"{__name__}.home", "show"),
    tries=(("A boot in two layers: what remains of a pixel?", {**_BOOT, "pixel": "16,12"}),),
    derived=_derived,
    components=("stage_grid",),
    preload=("stage_grid",),
    imports=("attnviz.ui.components.stage_grid",),
)
