"""Configuration of the documentation site: `make docs` builds it into build/docs."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from jupyter_cache import get_cache

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

_project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
project = "flexblocks"
author = copyright = _project["authors"][0]["name"]
version = release = _project["version"]

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    # docs/_extensions
    "written_pages",
    "docstring_text",
    "repository_links",
    "python_names",
    "embedded_animations",
    "gallery_cards",
    "mathml",
]
root_doc = "index"
source_suffix = {".md": "myst-nb", ".py": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["conf.py", "prose.py", "_extensions", "api_examples", "pictures", "**/__pycache__", "**/.*"]

# Notebooks are text, `# %%` between cells; what runs anew is what has changed since the last build.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build" / ".jupyter_cache")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
nb_output_stderr = "remove"  # progress; that nothing warns is tested

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

# Docstrings are numpydoc; types stand in them, with units and shapes, so that signatures need not repeat them.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
napoleon_google_docstring = False
napoleon_numpy_docstring = True
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes of a class belong to its description
napoleon_preprocess_types = True
default_role = "py:obj"
add_module_names = False
toc_object_entries = False
viewcode_line_numbers = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "flexblocks"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "source_repository": "https://github.com/flexblocks/flexblocks/",
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#6cb6ff", "color-brand-content": "#6cb6ff"},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: object) -> None:
    """Make the cache of notebooks: its database, which processes that read side by side would make each."""
    del app
    get_cache(nb_execution_cache_path).list_cache_records()
