"""A process that sends one message by Apprise, and ends.

In the daemon its import alone would hold up decisions, its log may name addresses, and a service
that does not answer could not be ended. Standard input is one JSON object: `addresses`, `title` and
`text`; standard output is one with `missing`, or with `failures`: a sentence for each address that
failed, empty for the others.
"""

import io
import json
import logging
import re
import sys
from collections.abc import Sequence

LONGEST_WHY = 160
_SECRET_PART = re.compile(r"[^\s:/?&=@,;.]{4,}")


def send(address: str, title: str, text: str) -> str:
    """Why it failed; empty when it did not."""
    import apprise

    asset = apprise.AppriseAsset(
        app_id="automode",
        app_desc="automode",
        app_url="",
        http_redirects=False,
        interpret_escapes=False,
        plugin_paths=[],
        storage_mode=apprise.PersistentStoreMode.MEMORY,
    )
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    handler.setLevel(logging.WARNING)
    logger = logging.getLogger("apprise")
    logger.propagate = False
    logger.addHandler(handler)
    try:
        service = apprise.Apprise(asset=asset)
        if not service.add(address):
            return "Apprise does not understand this address"
        sent = service.notify(
            text,
            title=title,
            notify_type=apprise.NotifyType.WARNING,
            body_format=apprise.NotifyFormat.TEXT,
        )
    finally:
        logger.removeHandler(handler)
    return "" if sent else without_secrets(told.getvalue(), address) or "Apprise does not say why"


def without_secrets(told: str, address: str) -> str:
    """The last line that was told, without any part of the address."""
    line = next((one for one in reversed(told.splitlines()) if one.strip()), "")
    parts = _SECRET_PART.findall(address.partition("://")[2])
    for part in sorted(set(parts), key=len, reverse=True):
        line = line.replace(part, "…")
    return "".join(one for one in line if one.isprintable())[:LONGEST_WHY]


def main() -> int:
    asked = json.load(sys.stdin)
    addresses: Sequence[str] = asked["addresses"]
    try:
        import apprise  # noqa: F401 - whether it is there
    except ImportError:
        json.dump({"missing": True}, sys.stdout)
        return 0
    failures = [send(one, asked["title"], asked["text"]) for one in addresses]
    json.dump({"failures": failures}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
