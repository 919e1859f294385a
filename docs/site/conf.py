"""Sphinx's settings. `build.py` gathers the pages that Sphinx reads, and says in the environment what lies where."""

import os
import sys
from pathlib import Path

from pygments.lexers import BashLexer
from pygments.token import Name, Number, Text

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "tamis"
author = "the tamis developers"
copyright = author  # noqa: A001  Sphinx calls it so
version = release = os.environ["TAMIS_DOCS_VERSION"]
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "mathml", "breathe"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

smartquotes = False  # "--size" is an option, no dash
default_role = "py:obj"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
add_module_names = False
toc_object_entries_show_parents = "hide"

breathe_projects = {"tamis": os.environ["TAMIS_DOCS_XML"]}
breathe_default_project = "tamis"
breathe_default_members = ("members",)
breathe_show_include = False
breathe_show_define_initializer = False
breathe_order_parameters_first = True
cpp_id_attributes = ["nodiscard"]
suppress_warnings = ["duplicate_declaration.cpp"]  # overloads that differ in what is forward declared only

html_theme = "pydata_sphinx_theme"
html_title = "tamis"
html_static_path = [str(HERE / "static")]
html_css_files = ["tamis.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "tamis"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_persistent": [],
    "navbar_end": ["search-button-field", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = dict.fromkeys(("index", "tour", "install", "speed"), [])
copybutton_exclude = ".linenos, .gp, .go"


def escape_bars(app, what, name, thing, options, lines):
    """|x| is a length in a docstring, and would be a substitution to Sphinx."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", "\\|") for line in lines]


class CommandLexer(BashLexer):
    """Bash with options as tokens of a kind of their own: long commands are wrapped, and no line may end after the hyphens
    of an option (tamis.css)."""

    def get_tokens_unprocessed(self, text, stack=("root",)):
        for start, token, word in super().get_tokens_unprocessed(text, stack):
            if token is Text and word.startswith("-"):
                token = Name.Attribute
            elif token is Number:  # it takes the 2 of 2.5um for one
                token = Text
            yield start, token, word


def setup(app):
    app.add_lexer("sh", CommandLexer)
    app.connect("autodoc-process-docstring", escape_bars)
