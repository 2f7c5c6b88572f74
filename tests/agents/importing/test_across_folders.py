"""Patterns whose `*` crosses folders, as OpenCode and pi-automode have them: paths are neither
opened nor freed."""

import os
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from automode.agents.importing.agent_rules import ALLOW, DENY
from automode.agents.importing.patterns import across_folders
from automode.core.decision import Verdict
from automode.core.tools import tool_call
from tests.agents.importing.test_claude_rules import FOLDERS, HOME, PATH, ROOT, answers


def fits(glob: str, path: str, cwd: str) -> bool:
    """One of them takes paths as seen from the folder, the other only those inside of it."""
    text = re.sub(r"^(~|\$HOME)(?=/)", HOME, glob.removeprefix("./"))
    expression = re.escape(text).replace(r"\*", ".*").replace(r"\?", ".")
    seen = os.path.relpath(path, cwd)
    names = {seen, path if seen.startswith("..") else seen}
    absolute = {path} if text.startswith("/") else set()
    return any(re.fullmatch(expression, one, re.DOTALL) for one in names | absolute)


GLOB = st.builds(
    lambda base, parts: base + "/".join(parts),
    st.sampled_from(["", "*", "./", "/", "~/", "$HOME/", f"{ROOT}/"]),
    st.lists(
        st.sampled_from(["src", "secrets", ".env", "*", "*.pem", "a.?em", "w"]),
        min_size=1,
        max_size=3,
    ),
)


@settings(max_examples=600, deadline=None)
@given(key=st.sampled_from([ALLOW, DENY]), glob=GLOB, path=PATH, cwd=st.sampled_from(FOLDERS))
def test_paths_are_neither_opened_nor_freed(key: str, glob: str, path: str, cwd: str) -> None:
    ours = across_folders(key, ("read",), glob).ours
    call = tool_call("read", {"file_path": path})

    if key == ALLOW and ours and answers(Verdict.ALLOW, ours, call, cwd):
        assert fits(glob, path, cwd)
    if key == DENY and fits(glob, path, cwd):
        assert answers(Verdict.DENY, ours, call, cwd)
