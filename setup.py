"""What pyproject.toml cannot say: the app, checkpoints, lessons and glossary lie beside the package, and are installed
in it."""

from pathlib import Path
from shutil import copy, copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithData(build_py):
    """Copy them to where `attnviz.paths.shipped` looks for them first."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            package = Path(self.build_lib) / "attnviz"
            shipped = package / "_shipped"
            for folder in ("checkpoints", "lessons", "pages", ".streamlit"):
                unwanted = ignore_patterns(".*.lock", "__pycache__", "secrets.toml")
                copytree(folder, shipped / folder, ignore=unwanted, dirs_exist_ok=True)
            (shipped / "docs").mkdir(exist_ok=True)
            copy("docs/glossary.md", shipped / "docs")
            copy("app.py", shipped)
            copy("pyproject.toml", package)  # in which Streamlit looks for the components of an installed package


setup(cmdclass={"build_py": BuildWithData})
