"""``python -m rankstone``."""

import sys

from rankstone.cli import main

if __name__ == "__main__":
    sys.exit(main())
