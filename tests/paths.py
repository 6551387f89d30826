"""Where the project and the shared data lie."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder of the project."""

DATA = Path(os.environ.get("TRIX_DATA") or ROOT.parent / "shared" / "data").resolve()
"""The shared collections; tests that need them are skipped where they are absent."""
