"""Weakening of TLS and certificate checks: options, variables, settings, trust stores."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from automode.guards.guard import Guard, See, Sight, shown, words
from automode.shell.options import Spec, arguments

_OFF = words("0 false no off never none null undefined")
_ON = words("1 true yes on")
_OFF_WHEN_FALSE = words(
    "NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY NPM_CONFIG_STRICT_SSL BUNDLE_SSL_VERIFY_MODE"
    " YARN_ENABLE_STRICT_SSL SSL_VERIFY CONDA_SSL_VERIFY REQUESTS_VERIFY VERIFY_SSL TF_VERIFY_SSL"
    " HTTPS_VERIFY PIP_VERIFY HOMEBREW_VERIFY_SSL"
)
_OFF_WHEN_TRUE = words(
    "GIT_SSL_NO_VERIFY KUBECTL_INSECURE_SKIP_TLS_VERIFY CURL_INSECURE VAULT_SKIP_VERIFY"
    " CONSUL_HTTP_SSL_VERIFY_OFF HELM_KUBEINSECURE_SKIP_TLS_VERIFY ARGOCD_INSECURE"
    " AZURE_CLI_DISABLE_CONNECTION_VERIFICATION HOMEBREW_CURL_INSECURE DISABLE_TLS_VERIFY"
    " HTTPLIB2_DISABLE_SSL_CERTIFICATE_VALIDATION NIX_SSL_NO_VERIFY WRANGLER_INSECURE"
    " DOCKER_TLS_NO_VERIFY"
)
_OFF_WHEN_SET = words("GOINSECURE PIP_TRUSTED_HOST UV_INSECURE_HOST GONOSUMCHECK")


def weakens(name: str, value: str) -> bool:
    """Whether a variable with this value switches certificate checks off."""
    name, value = name.upper(), value.strip("\"'").casefold()
    if name in _OFF_WHEN_FALSE:
        return value in _OFF
    if name in _OFF_WHEN_TRUE:
        return value in _ON
    if name in _OFF_WHEN_SET:
        return bool(value) and not is_loopback(f"https://{value}")
    return name == "GOFLAGS" and "-insecure" in value


def _variables(sight: Sight) -> Iterator[tuple[str, str]]:
    command = sight.command
    for assignment in (*command.assignments, *command.environment):
        yield assignment.name, assignment.value.text
    if sight.name in ("export", "declare", "typeset", "readonly", "local", "setx", "launchctl"):
        for text in sight.texts:
            name, equals, value = text.partition("=")
            if equals:
                yield name, value
    if sight.name in ("setenv", "set", "setx"):
        plain = [text for text in sight.texts if not text.startswith("-")]
        if len(plain) > 1:
            yield plain[0], plain[1]


def is_loopback(url: str) -> bool:
    """Whether a literal URL leads to this very machine: self-signed there is ordinary."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return False
    return host == "localhost" or host.endswith(".localhost") or host in _LOOPBACK


_LOOPBACK = words("127.0.0.1 ::1 0.0.0.0 host.docker.internal")
_CURL = Spec(
    flags="kfsSLIvigGjJnNORp0123461aB#qZ",
    values="AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    long_flags=("--insecure", "--proxy-insecure", "--doh-insecure", "--location", "--silent",
                "--fail", "--include", "--head", "--verbose", "--show-error", "--compressed"),
    long_values=("--data", "--header", "--request", "--output", "--user", "--url", "--form",
                 "--data-raw", "--data-binary", "--data-urlencode", "--json", "--max-time",
                 "--connect-timeout", "--write-out", "--cacert", "--cert", "--key", "--resolve",
                 "--retry", "--user-agent", "--cookie", "--cookie-jar", "--proxy", "--range",
                 "--retry-delay", "--interface", "--unix-socket", "--referer", "--connect-to"),
)  # fmt: skip


def _curl(sight: Sight) -> str | None:
    given = arguments(sight.args, _CURL)
    flag = next((o.name for o in given.options if o.name in _CURL_FLAGS), None)
    if flag is None:
        return None
    urls = list(given.operands)
    named = given.value("--url")
    urls += [named] if named is not None else []
    if urls and all(word.value is not None and is_loopback(word.text) for word in urls):
        return None
    if any(_starts_local(word.text) for word in urls):
        return None
    return f"`{flag}` accepts any certificate"


def _starts_local(text: str) -> bool:
    """`https://localhost:$PORT/…`: the host is literal even where the rest is not known."""
    return text.startswith(
        tuple(f"{scheme}{host}{end}" for scheme in ("https://", "http://", "")
              for host in ("localhost", "127.0.0.1", "[::1]") for end in (":", "/"))
    )  # fmt: skip


_CURL_FLAGS = words("-k --insecure --proxy-insecure --doh-insecure")


def _flags(*names: str) -> See:
    """A program that any of `names` makes accept every certificate; loopback URLs aside."""

    def sees(sight: Sight) -> str | None:
        for text in sight.texts:
            name, equals, value = text.partition("=")
            if name in names and not (equals and value.casefold() in _OFF):
                urls = [t for t in sight.texts if "://" in t]
                return None if urls and all(map(is_loopback, urls)) else f"`{name}` does that"
        return None

    return sees


def _git(sight: Sight) -> str | None:
    low = [text.casefold() for text in sight.texts]
    for index, text in enumerate(low):
        text = text.removeprefix("-c")
        key, equals, value = text.partition("=")
        if key.startswith("http.") and key.endswith((".sslverify", ".proxysslverify")):
            after = value if equals else (low[index + 1] if index + 1 < len(low) else "")
            if after in _OFF:
                return f"`{shown(key)}` is switched off"
    return None


def _settings(*keys: str) -> See:
    """`npm config set strict-ssl false` and its kin, however key and value are joined."""

    def sees(sight: Sight) -> str | None:
        low = [text.casefold() for text in sight.texts]
        parts = [part for text in low for part in text.split("=")]
        for index, part in enumerate(parts):
            if part.removeprefix("--") in keys:
                value = parts[index + 1] if index + 1 < len(parts) else ""
                if value in _OFF:
                    return f"`{part}` is switched off"
            if part.removeprefix("--no-") in keys and part.startswith("--no-"):
                return f"`{part}` switches it off"
        return None

    return sees


def _pip(sight: Sight) -> str | None:
    for index, text in enumerate(sight.texts):
        name, equals, value = text.partition("=")
        if name in ("--trusted-host", "--allow-insecure-host") or name.endswith(".trusted-host"):
            after = sight.texts[index + 1 : index + 2]
            host = value if equals else (after[0] if after else "")
            return None if is_loopback(f"https://{host}") else f"`{shown(host)}` goes unchecked"
    return None


_NODE = _settings("strict-ssl", "enablestrictssl", "cafile", "ca")
_SKIP_VERIFY = _flags("--insecure-skip-tls-verify", "--kube-insecure-skip-tls-verify",
                      "--insecure-skip-verify", "--tls-skip-verify")  # fmt: skip
_WHOLE = "--no-check-certificates"
_NO_CHECK = tuple(_WHOLE[:end] for end in range(len("--no-ch"), len(_WHOLE) + 1))
"""Long options may be abbreviated."""

_BY_PROGRAM: Mapping[str, See] = {
    "curl": _curl,
    "wget": _flags(*_NO_CHECK),
    "wget2": _flags(*_NO_CHECK),
    "http": _settings("verify"),
    "https": _settings("verify"),
    "nscurl": _flags("-k", "--insecure"),
    "git": _git,
    "npm": _NODE,
    "pnpm": _NODE,
    "yarn": _NODE,
    "bun": _NODE,
    "pip": _pip,
    "pip3": _pip,
    "uv": _pip,
    "python": _pip,
    "python3": _pip,
    "conda": _settings("ssl_verify"),
    "mamba": _settings("ssl_verify"),
    "composer": _settings("disable-tls-off", "secure-http"),
    "aws": _flags("--no-verify-ssl"),
    "dockerd": _flags("--insecure-registry"),
    "docker": _flags("--insecure-registry"),
    "podman": _settings("tls-verify"),
    "buildah": _settings("tls-verify"),
    "skopeo": _settings("tls-verify", "src-tls-verify", "dest-tls-verify"),
    "kubectl": _SKIP_VERIFY,
    "oc": _SKIP_VERIFY,
    "helm": _SKIP_VERIFY,
    "vault": _flags("-tls-skip-verify", "--tls-skip-verify"),
    "mc": _flags("--insecure"),
    "brew": _flags("--insecure"),
}


def _sees(sight: Sight) -> str | None:
    for name, value in _variables(sight):
        if weakens(name, value):
            return f"`{shown(name)}={shown(value)}` switches certificate checks off"
    see = _BY_PROGRAM.get(sight.name)
    return see(sight) if see else None


TLS_VERIFICATION = Guard(
    id="tls-verification",
    reason="this connects without checking who is at the other end",
    advice="fix the certificate, or name the right one with the program's `--cacert` or the like",
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    everywhere=True,
    remote=True,
)
