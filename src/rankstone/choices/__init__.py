"""Everything that a user can choose."""
