"""Results as text: terminal, Markdown, LaTeX, HTML, delimited."""
