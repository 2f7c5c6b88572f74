"""OpenCode's plugin as it is shipped: two files, without a build, that need no package."""

import re

import pytest

from automode.install.extension_file import template_of, whole_text

PLUGIN, HALF = (whole_text(template_of("opencode", name)) for name in ("automode.ts", "tui.ts"))
IMPORT = re.compile(r'^import .* from "([^"]+)";$', re.MULTILINE)


@pytest.mark.parametrize("text", [PLUGIN, HALF], ids=["plugin", "half"])
def test_there_is_one_place_for_what_the_installer_fills_in(text: str) -> None:
    assert text.count("const INSTALLED = {/*automode:installed*/};") == 1
    assert "/*automode:wire*/" not in text


def test_the_plugin_takes_all_from_node_itself() -> None:
    found = IMPORT.findall(PLUGIN)

    assert all(one.startswith("node:") for one in found)
    assert len(found) == PLUGIN.count("\nimport ")


def test_the_half_takes_only_what_the_terminal_brings() -> None:
    outside = {one for one in IMPORT.findall(HALF) if not one.startswith("node:")}

    assert outside == {"@opentui/solid", "solid-js"}


def test_no_dialog_has_yes_first() -> None:
    assert "[NO, YES]" in HALF
    assert "DialogConfirm" not in HALF


def test_an_answer_needs_a_proof_that_differs_from_word_to_word() -> None:
    signing = "update(`${word} ${nonce}`)"

    assert [text.count(signing) for text in (PLUGIN, HALF)] == [1, 1]
    assert all("createHmac" in text for text in (PLUGIN, HALF))
