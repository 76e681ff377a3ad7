"""All small checkpoints with drawn weights that the browser tests open, in one folder, so that one server has them."""

from pathlib import Path

from attnviz.recipes.recipe import changed
from attnviz.recipes.schwarz import SIMPLE
from tests.training.several import lay_several
from tests.ui.mechanisms import untrained
from tests.ui.mechanisms.channel_attention import placed as channels
from tests.ui.mechanisms.cnn_attention import placed as blocks
from tests.ui.mechanisms.element_wise import placed as element_wise
from tests.ui.mechanisms.pixel_attention.experiments import placed as pixels
from tests.ui.mechanisms.recurrent_attention import placed as glimpses
from tests.ui.mechanisms.sequences import placed as strips
from tests.ui.mechanisms.spatial_transformer import placed as transformers
from tests.ui.mechanisms.vision_transformer import placed as patches

# Models with a history: the epochs whose weights are kept, but for those of the twin, and the last.
KEPT, DAMAGED, TWIN = "pixel_attention.kept", "pixel_attention.damaged", "pixel_attention.twin"
EPOCHS, LAST = (0, 2, 5), 9
OF_TWIN = {**pixels.WITHOUT, "head_size": 3}


def place(folder: Path) -> Path:
    """Write them into a folder, and return it."""
    for kind in (blocks, channels, element_wise, glimpses, patches, pixels, strips, transformers):
        kind.place(folder)
    lay_several(folder)
    for seed, (key, config) in enumerate({KEPT: pixels.WITHOUT, DAMAGED: pixels.WITH, TWIN: OF_TWIN}.items()):
        name = key.partition(".")[2]
        recipe = changed(SIMPLE, name=name, title=name.capitalize(), data="strokes", config=config)
        pixels.lay(folder, recipe, seed, 0.7)
        untrained.give_history(folder, key, (0, 5) if key == TWIN else EPOCHS, LAST)
    return folder
