"""The catalogue holds every family."""

import importlib
import pkgutil

from automode import programs
from automode.programs.catalog import FAMILIES


def test_every_module_with_programs_is_listed() -> None:
    modules = [
        importlib.import_module(f"automode.programs.{found.name}")
        for found in pkgutil.iter_modules(programs.__path__)
        if found.name != "catalog"
    ]

    assert {m.__name__ for m in modules if hasattr(m, "PROGRAMS")} == {m.__name__ for m in FAMILIES}
