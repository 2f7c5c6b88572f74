"""`automode reload`."""

import json
from pathlib import Path

from tests.cli.daemons import Place


def test_without_a_daemon_there_is_nothing_to_reload(place: Place) -> None:
    assert "nothing to reload" in place.run("reload").stdout
    assert place.json("reload") == {"reloaded": False}


def test_the_next_call_is_decided_by_the_new_settings(served: Place) -> None:
    before = served.proposed("git push")["source"]
    rules = {"permissions": {"deny": ["bash(git push*)"]}}
    (Path(served.config) / "config.json").write_text(json.dumps(rules))

    reloaded = served.json("reload")

    assert reloaded == {"reloaded": True}
    assert (before, served.proposed("git push")["source"]) == ("classifier.local", "rules.deny")
