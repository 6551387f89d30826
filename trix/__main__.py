"""`python -m trix` is `trix`."""

import sys

from trix.cli import main

if __name__ == "__main__":
    sys.exit(main())
