"""The training scripts are no package that is installed: they are found from the repository."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[3])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
