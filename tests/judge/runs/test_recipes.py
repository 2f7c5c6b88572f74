"""Makefiles and justfiles as the commands of their recipes."""

from automode.judge.runs.recipes import MOST_REFERENCES, UNKNOWN, justfile, makefile
from tests.rows import each_row

MAKEFILES = [
    ("a:\n\t@echo x\n", "a", ("echo x",), True),
    ("a: b\n\t-ls\nb: ; pwd\n", "a", ("ls", "pwd"), True),
    ("a:\n\tls \\\n\t  src\n", "a", ("ls \\\n  src",), True),
    ("a: a\n\tls\n", "a", ("ls",), True),
    ("X = 1\nY := $(X)2\na:\n\techo $(Y) $$HOME\n", "a", ("echo 12 $HOME",), True),
    ("X ?= 1\nX += 2\na:\n\techo $X\n", "a", ("echo 1 2",), True),
    ("a: b\n\techo $@ $<\n", "a", ("echo a b",), True),
    ("a:\n\techo $(NONE)\n", "a", (f"echo {UNKNOWN}",), False),
    ("a:\n\techo $(shell id)\n", "a", ("echo $(id)",), False),
    ("V := $(shell id)\na:\n\tls\n", "a", ("id", "ls"), True),
    ("V := $(shell $(X))\na:\n\tls\n", "a", (UNKNOWN, "ls"), False),
    ("ifdef Q\nX = 1\nelse\nX = 2\nendif\na:\n\techo $X\n", "a", (f"echo {UNKNOWN}",), False),
    ("ifdef Q\na:\n\tls\nelse\na:\n\tpwd\nendif\n", "a", ("ls", "pwd"), True),
    ("-include x.mk\na:\n\tls\n", "a", ("ls",), False),
    ("define X\nls\nendef\na:\n\tls\n", "a", ("ls",), False),
    ("SHELL := /bin/bash\na:\n\tls\n", "a", ("ls",), True),
    ("SHELL := ./x\na:\n\tls\n", "a", ("ls",), False),
    ("export PATH := ./x:$(PATH)\na:\n\tls\n", "a", ("ls",), False),
    ("a: SHELL := ./x\na:\n\tls\n", "a", ("ls",), False),
    ("$(X): b\na:\n\tls\n", "a", ("ls",), False),
    ("%.o: %.c\n\tcc $<\na: b.o\n\tls\n", "a", ("ls",), False),
    (".c.o:\n\tgit push\na: b.o\n\tls\n", "a", ("ls",), False),
    ("CC = ./x\na: b.o\n\tls\n", "a", ("ls", "./x      "), True),
    ("CFLAGS = $(X)\na: b.o\n\tls\n", "a", None, False),
    ("CC = ./x\na:\n\tls\n", "a", ("ls",), True),
    ("COMPILE.c = ./x\na: b.o\n\tls\n", "a", ("ls",), False),
    ("$(eval x: y)\na:\n\tls\n", "a", ("ls",), False),
    (".SECONDEXPANSION:\na:\n\tls\n", "a", ("ls",), False),
    ("A = $(B)$(B)\nB = $(A)$(A)\na:\n\techo $(A)\n", "a", None, False),
]


@each_row("text, target, lines, sure", MAKEFILES)
def test_a_makefile_is_the_commands_of_its_recipes(
    text: str, target: str, lines: tuple[str, ...] | None, sure: bool
) -> None:
    found = makefile(text).run((target,))

    assert found is not None
    assert found.sure is sure
    assert lines is None or found.lines == lines


def test_the_first_rule_is_the_default() -> None:
    book = makefile(".PHONY: b\nb:\n\tls\na:\n\tpwd\n")
    found, default = book.run(()), makefile(".DEFAULT_GOAL := a\nb:\n\tls\na:\n\tpwd\n").run(())

    assert found is not None
    assert found.lines == ("ls",)
    assert default is not None
    assert default.lines == ("pwd",)
    assert book.run(("c",)) is None


def test_what_a_command_line_sets_takes_the_place_of_a_variable() -> None:
    found = makefile("X = ls\na:\n\t$(X)\n", (("X", "pwd"),)).run(("a",))

    assert found is not None
    assert found.lines == ("pwd",)


def test_a_makefile_that_multiplies_itself_is_not_unfolded() -> None:
    lines = [f"V{at} = {f'$(V{at + 1})' * 40}" for at in range(8)]
    text = "\n".join((*lines, "V8 = x", "a:", "\techo $(V0)", ""))
    found = makefile(text).run(("a",))

    assert found is not None
    assert not found.sure
    assert len(found.lines[0]) < MOST_REFERENCES * 20


JUSTFILES = [
    ("a:\n  @ls\n", "a", ("ls",), True),
    ("a: b\n  ls\nb:\n  pwd\n", "a", ("ls", "pwd"), True),
    ("x := 'src'\na:\n  ls {{x}}\n", "a", ("ls src",), True),
    ("a y:\n  ls {{y}}\n", "a", (f"ls {UNKNOWN}",), False),
    ("alias b := a\na:\n  ls\n", "b", ("ls",), True),
    ("x := `id`\na:\n  ls\n", "a", ("id", "ls"), True),
    ("a:\n  #!/usr/bin/env bash\n  cd x\n  ls\n", "a", ("cd x\nls",), True),
    ("a:\n  #!/usr/bin/env python3\n  x()\n", "a", (), False),
    ("x := shell('./x')\na:\n  ls\n", "a", ("ls",), False),
    ("a b=`./x`:\n  ls\n", "a", ("ls",), False),
    ("a: (b shell('./x'))\n  ls\nb c:\n  ls\n", "a", ("ls", "ls"), False),
    ("set shell := ['x']\na:\n  ls\n", "a", ("ls",), False),
    ("import 'x.just'\na:\n  ls\n", "a", ("ls",), False),
    ("[script('x')]\na:\n  ls\n", "a", ("ls",), False),
    ("[private]\na:\n  ls\n", "a", ("ls",), True),
    ("export PATH := './x'\na:\n  ls\n", "a", ("ls",), False),
    ("a: (b 'x') && c\n  ls\nb y:\n  pwd\nc:\n  id\n", "a", ("ls", "pwd", "id"), True),
]


@each_row("text, recipe, lines, sure", JUSTFILES)
def test_a_justfile_is_the_commands_of_its_recipes(
    text: str, recipe: str, lines: tuple[str, ...], sure: bool
) -> None:
    found = justfile(text).run((recipe,))

    assert found is not None
    assert (found.lines, found.sure) == (lines, sure)
