"""What the panel of a model can name, attnviz/ui/components/panel.py, and what the browser finds under that name."""

import re
from pathlib import Path

import attnviz
from attnviz.ui.components.panel import Panel

PANELS = Path(attnviz.__file__).parent / "ui" / "frontend" / "panels"


def test_the_renderers_that_it_describes_are_those_of_the_browser() -> None:
    renderer = re.search(r"renderer: (.*?)\n        says:", Panel.__doc__ or "", re.DOTALL)
    own = re.search(r"const OWN = \{(.*?)\};", (PANELS / "renderers.js").read_text())
    assert renderer and own
    named = set(re.findall(r'"(\w+)" \(', renderer[1]))
    assert named == {name.strip() for name in own[1].split(",")}
    for name in named:
        module = PANELS / f"{name}.js"
        if module.exists():
            assert "export function draw(" in module.read_text()
        else:
            assert f"export const {name} = {{\n  draw(" in (PANELS / "maps.js").read_text()
