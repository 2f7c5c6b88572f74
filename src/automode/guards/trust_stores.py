"""Adding a certificate authority to those that the whole machine trusts."""

from collections.abc import Mapping

from automode.guards.guard import Guard, See, Sight, shown, words
from automode.guards.profiles import both

_FOLDERS = (
    "/usr/local/share/ca-certificates", "/etc/ssl/certs", "/etc/pki/ca-trust",
    "/etc/ca-certificates",
    "/usr/share/pki/trust", "/usr/share/ca-certificates", "/etc/pki/tls/certs",
    "/library/keychains", "/system/library/keychains",
)  # fmt: skip


def _words(*wanted: str) -> See:
    def sees(sight: Sight) -> str | None:
        low = {text.casefold() for text in sight.texts}
        return f"`{wanted[0]}` does that" if set(wanted) <= low else None

    return sees


def _security(sight: Sight) -> str | None:
    verb = sight.texts[0] if sight.texts else ""
    changing = words("add-trusted-cert trust-settings-import remove-trusted-cert"
                     " authorizationdb")  # fmt: skip
    reads = verb == "authorizationdb" and "read" in sight.texts
    return f"`security {verb}` does that" if verb in changing and not reads else None


def _keytool(sight: Sight) -> str | None:
    low = {text.casefold() for text in sight.texts}
    imports = {"-importcert", "-import"} & low
    store = "-cacerts" in low or any(text.endswith("/cacerts") for text in low)
    return "the Java trust store is changed" if imports and store else None


def _certutil(sight: Sight) -> str | None:
    low = [text.casefold() for text in sight.texts]
    if "-addstore" in low or "/addstore" in low:
        return "it changes the certificate store"
    trusted = "-a" in low and any(text.startswith(("c,", "ct", "tc")) for text in low)
    return "it adds a trusted authority" if trusted else None


_BY_PROGRAM: Mapping[str, See] = {
    "security": _security,
    "trust": _words("anchor"),
    "keytool": _keytool,
    "certutil": _certutil,
    "mkcert": _words("-install"),
    "import-certificate": lambda sight: "it changes the certificate store",
}


def _sees(sight: Sight) -> str | None:
    for target in sight.targets:
        if any(path.casefold().startswith(_FOLDERS) for path in both(target)):
            return f"`{shown(target.path)}` is trusted by every program"
    see = _BY_PROGRAM.get(sight.name)
    return see(sight) if see else None


TRUST_STORE = Guard(
    id="trust-store",
    reason="this changes which certificates the machine trusts",
    advice="give the certificate to the one program that needs it",
    about="The trust stores of macOS, Linux, Windows and Java. Looking at them is fine.",
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    writes=True,
    stops=(
        "security add-trusted-cert -d -r trustRoot ca.pem",
        "sudo cp ca.crt /usr/local/share/ca-certificates/",
        "trust anchor ca.pem",
        "keytool -importcert -cacerts -file ca.pem",
        "certutil -addstore root ca.cer",
        "cat ca.pem | sudo tee -a /etc/ssl/certs/ca-certificates.crt",
        "mkcert -install",
    ),
    passes=(
        "security find-certificate -a",
        "trust list",
        "keytool -list -cacerts",
        "openssl x509 -in ca.pem -text",
        "ls /etc/ssl/certs",
        "cp ca.crt certs/",
        "curl --cacert ca.pem https://example.com",
        "mkcert example.test",
    ),
)
