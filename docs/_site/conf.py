"""Sphinx reads its configuration here."""

import rankstone

project = "Rankstone"
author = "the Rankstone authors"
version = release = rankstone.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

# Examples are copied without their prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
copybutton_copy_empty_lines = False

html_theme = "furo"
html_title = f"Rankstone {release}"
html_static_path = ["_static"]
html_css_files = ["rankstone.css"]
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
