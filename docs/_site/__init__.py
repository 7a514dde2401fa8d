"""The documentation site: pages written by hand, and pages generated from the code."""
