"""Getting data in."""
