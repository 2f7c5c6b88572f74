"""The catalogue holds every family, and no program is claimed twice."""

import importlib
import pkgutil

from automode import programs
from automode.programs.catalog import FAMILIES, PROGRAMS


def test_every_module_with_programs_is_listed() -> None:
    modules = [
        importlib.import_module(f"automode.programs.{found.name}")
        for found in pkgutil.iter_modules(programs.__path__)
        if found.name != "catalog"
    ]

    assert {m.__name__ for m in modules if hasattr(m, "PROGRAMS")} == {m.__name__ for m in FAMILIES}


def test_no_program_is_claimed_by_two_families() -> None:
    names = [name for family in FAMILIES for name in family.PROGRAMS]

    assert len(names) == len(set(names)) == len(PROGRAMS)
