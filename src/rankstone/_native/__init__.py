"""The compiled core, where it was built."""
