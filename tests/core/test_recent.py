"""A bounded mapping forgets what was set longest ago."""

from automode.core.recent import Recent


def test_the_newest_entries_stay() -> None:
    found = Recent(2, [("a", 1), ("b", 2)])
    found["a"] = 3
    found["c"] = 4

    assert dict(found) == {"a": 3, "c": 4}
