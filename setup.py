"""What pyproject.toml cannot say: checkpoints, lessons and glossary lie beside the package, and are installed in it."""

from pathlib import Path
from shutil import copy, copytree

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithData(build_py):
    """Copy them to where `attnviz.cards.folder`, `lessons.folder` and `ui.shared.glossary` look for them first."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            package = Path(self.build_lib) / "attnviz"
            copytree("checkpoints", package / "_checkpoints", dirs_exist_ok=True)
            copytree("lessons", package / "_lessons", dirs_exist_ok=True)
            (package / "_docs").mkdir(exist_ok=True)
            copy("docs/glossary.md", package / "_docs")


setup(cmdclass={"build_py": BuildWithData})
