"""`python -m trix.cli` is `trix`."""

import sys

from trix.cli import main

sys.exit(main())
