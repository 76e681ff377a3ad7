"""The viewer of a notebook with a kernel, in Chromium, with a kernel that a few lines stand in for."""

from pathlib import Path

from playwright.sync_api import expect

from attnviz.figures.modules import FRONTEND

from .conftest import NewPage

KERNEL = """
async (module) => {
  const values = { layers: ["blocks.0", "blocks.1"], heads: [2, 3], layer: 1, off: [] };
  Object.assign(values, { page: "", said: "", height: 100 });
  const heard = {};
  const tell = (name, value) => {
    values[name] = value;
    (heard[`change:${name}`] ?? []).forEach((act) => act());
  };
  const answer = () => tell("page", `<p>Layer ${values.layer} without ${JSON.stringify(values.off)}</p>`);
  const model = {
    get: (name) => values[name],
    set: (name, value) => tell(name, value),
    save_changes: () => setTimeout(answer),
    on: (event, act) => (heard[event] ??= []).push(act),
    off: (event, act) => (heard[event] = heard[event].filter((one) => one !== act)),
  };
  answer();
  const { default: widget } = await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
  window.leave = widget.render({ model, el: document.body });
  window.fail = () => tell("said", "It cannot be drawn.");
  window.left = () => Object.values(heard).flat().length;
}
"""


def test_it_asks_for_the_layer_and_the_heads_that_are_chosen(new_page: NewPage, tmp_path: Path) -> None:
    (tmp_path / "notebook.html").write_text("<!doctype html><title>A notebook</title><body>")
    page = new_page()
    page.goto((tmp_path / "notebook.html").as_uri())
    page.evaluate(KERNEL, (FRONTEND / "figure" / "widget.js").read_text())
    shown = page.frame_locator("iframe").locator("p")
    expect(shown).to_have_text("Layer 1 without []")
    expect(page.get_by_role("checkbox")).to_have_count(3)
    page.get_by_label("Layer ").select_option(label="0: blocks.0")
    expect(shown).to_have_text("Layer 0 without []")
    expect(page.get_by_role("checkbox")).to_have_count(2)
    page.get_by_role("checkbox", name="1").uncheck()
    expect(shown).to_have_text("Layer 0 without [[0,1]]")
    expect(page.get_by_role("status")).to_have_text("")
    page.get_by_role("checkbox", name="1").check()
    expect(shown).to_have_text("Layer 0 without []")
    page.evaluate("fail()")
    expect(page.get_by_role("status")).to_have_text("It cannot be drawn.")
    assert page.evaluate("(leave(), left())") == 0
