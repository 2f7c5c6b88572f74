"""Which names say that their value is a secret, and which values may be one."""

import re
from functools import lru_cache

LONG_ENOUGH = 8  # characters of a bare value that must hold a digit to count as a secret
HAS_DIGIT = re.compile(r"[0-9]")
_LONG_SETTING = 6  # characters of a bare value behind `=`
_MOST_NAMES = 4096
_LONGEST_NAME = 120  # characters; whoever makes up longer ones must not fill our memory

# A name says that its value is a secret when it ends so, whatever joins its words.
_ENDINGS = (
    *("token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "credential"),
    *("credentials", "apikey", "accesskey", "accountkey", "secretkey", "privatekey", "authkey"),
    *("signingkey", "encryptionkey", "masterkey", "sharedkey", "licensekey", "connectionstring"),
    *("secretaccesskey", "clientsecret", "apitoken", "authtoken", "userpass", "storagekey"),
    *("hmackey", "apisecret", "deploykey", "sessionkey", "secrethash", "authorization"),
    *("dbpass", "keypass", "storepass", "rootpass", "adminpass"),
)
_JOINTS = str.maketrans("", "", "_-. ")
# As a word of its own: not in `compass` and `bypass`, and not where a thing is gone through.
_PASS = re.compile(
    r"(?<![A-Za-z0-9])(?i:pass)\Z|(?<=[a-z0-9])Pass\Z",
)
_GONE_THROUGH = re.compile(
    r"(?i)(?:\A|[_.\- ])(?:first|second|third|last|next|final|one|two|single|multi|each|per|low"
    r"|high|band|by|all|render|shader|compute|depth|shadow|post|opt|lint|tests?|checks?|should|must"
    r"|will|can|does|not|no|did|to|num|n|total|count|full|quick|forward|backward)[_.\- ]?pass\Z"
)

_SCHEMES = ("bearer", "basic", "digest", "negotiate", "token")
_REFERENCE = re.compile(
    r"[$%<{\[(*]|(?:true|false|null|none|nil|undefined|yes|no|on|off|str|string|int|bool|any)\b"
    r"|(?:bearer|basic|digest|token)[ \t]{1,3}[$%<{\[(*]"
    r"|(?:process|os|env|secrets|vars|config|settings|self|this|args|import)[.\[]|\.{0,2}/|~|[A-Za-z]:[\\/]|\w+!?[(<\[]",
    re.IGNORECASE,
)


def secret_name(name: str) -> bool:
    return _said(name[-_LONGEST_NAME:])


@lru_cache(maxsize=_MOST_NAMES)
def _said(name: str) -> bool:
    plain = name.translate(_JOINTS).casefold()
    if plain.endswith(_ENDINGS):
        return True
    if plain.endswith("pass"):
        return _PASS.search(name) is not None and _GONE_THROUGH.search(name) is None
    return name.isupper() and plain.endswith(("key", "auth"))


def kind(name: str) -> str:
    plain = name.translate(_JOINTS).casefold()
    kinds = ("cookie", "password", "token", "credential", "secret", "key")
    found = next((kind for kind in kinds if kind in plain), None)
    return found or ("password" if "p" in plain and "auth" not in plain else "secret")


def reference(text: str, start: int = 0) -> bool:
    """A variable, a path, a type, a word for "nothing": a judge must be able to read those."""
    return _REFERENCE.match(text, start) is not None


def secret_value(name: str, value: str) -> bool:
    if len(value) <= 2 or reference(value) or "[secret:" in value:
        return False
    if not _only_pass(name):
        return True
    # Test runs write `PASS=1204`, encoders are told `--pass 2`.
    shortest = LONG_ENOUGH if value.isdigit() else _LONG_SETTING
    return len(value) >= shortest and " " not in value


def bare_secret(name: str, joint: str, value: str) -> bool:
    """Without quotes, code and prose look like settings: `password: string`, `token = next`."""
    if value.casefold() in _SCHEMES:
        return False  # what follows it has been looked at
    if name.isupper() and "=" in joint:
        return True
    if joint == "=":
        return len(value) >= _LONG_SETTING
    if _only_pass(name) and name != "pass":
        return False  # `PASS: TestLogin2`
    return len(value) >= LONG_ENOUGH and HAS_DIGIT.search(value) is not None


def _only_pass(name: str) -> bool:
    return len(name) == len("pass") and name.casefold() == "pass"
