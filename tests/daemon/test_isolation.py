"""What a daemon keeps of whoever started it."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from automode.daemon.process import STANDARD_PATH, key_variables, scrubbed
from automode.facts.place import home_folder

HOSTILE = {
    "HOME": "/",
    "PATH": "/repository/bin",
    "PYTHONPATH": "/repository",
    "LD_PRELOAD": "/repository/evil.so",
    "XDG_CONFIG_HOME": "/repository/.config",
    "ANTHROPIC_BASE_URL": "http://example.invalid",
    "AUTOMODE_SETTINGS_JSON": "{}",
    "HTTPS_PROXY": "http://example.invalid",
    "SSL_CERT_FILE": "/repository/ca.pem",
}


def test_a_hostile_environment_leaves_nothing_behind() -> None:
    left = scrubbed(HOSTILE)

    assert left["PATH"] == STANDARD_PATH
    assert left["HOME"] == home_folder()
    assert set(left) <= {"PATH", "HOME", "XDG_RUNTIME_DIR"}
    assert "/repository" not in str(left)


def test_keys_stay_only_where_they_are_named() -> None:
    given_one = HOSTILE | {"ANTHROPIC_API_KEY": "a", "MY_KEY": "b", "LANG": "C.UTF-8"}

    assert {"ANTHROPIC_API_KEY", "MY_KEY"} & set(scrubbed(given_one)) == set()
    kept = scrubbed(given_one, key_variables(["MY_KEY"]))
    assert (kept["ANTHROPIC_API_KEY"], kept["MY_KEY"], kept["LANG"]) == ("a", "b", "C.UTF-8")


NAMES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1, max_size=20)


@given(st.dictionaries(NAMES, st.text(max_size=20)))
def test_whatever_is_set_only_the_language_is_kept(environment: dict[str, str]) -> None:
    left = scrubbed(environment)

    own = {"PATH", "HOME", "XDG_RUNTIME_DIR"}
    assert {name for name in left if name not in own} <= {"LANG", "LC_ALL", "LC_CTYPE"}
    assert left["PATH"] == STANDARD_PATH


DETACHED = """
import os, sys
os.environ["LEFT"] = "behind"
held = os.open("/dev/null", os.O_RDONLY)
from automode.daemon.process import isolate
isolate({"ONLY": "this"}, detached=True)
try:
    os.fstat(held)
    print("open", end=" ")
except OSError:
    print("closed", end=" ")
mask = os.umask(0)
print(dict(os.environ), os.getcwd(), oct(mask), os.getsid(0) == os.getpid())
"""


def test_a_detached_process_lets_go_of_everything() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DETACHED], capture_output=True, text=True, check=True
    )

    assert done.stdout == "closed {'ONLY': 'this'} / 0o77 True\n"
