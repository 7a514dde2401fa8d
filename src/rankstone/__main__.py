"""``python -m rankstone``."""

from rankstone.cli import command

if __name__ == "__main__":
    command()
