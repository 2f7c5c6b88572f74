"""Keys, certificates and hashes: openssl, ssh-keygen, gpg."""

import re
from collections.abc import Mapping

from automode.programs.forms import Asked, Mostly, sole
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown, writes
from automode.shell.options import Arguments, Spec, arguments

_SECRETS = Use(Effect.SECRETS, "prints or opens private keys")


def _dashed(flags: str, values: str = "") -> Spec:
    return Spec(long_flags=flags.split(), long_values=values.split(), single_dash=True)


_CERTIFICATE = _dashed(
    "-noout -text -subject -issuer -serial -dates -startdate -enddate -fingerprint -sha1 -sha256 "
    "-sha384 -sha512 -md5 -hash -subject_hash -issuer_hash -purpose -modulus -pubkey -email "
    "-ocsp_uri -ocspid -alias -help -verify -lastupdate -nextupdate -crlnumber -print_certs",
    "-in -inform -nameopt -certopt -ext -checkend -checkhost -checkemail -checkip -outform",
)
_PUBLIC_KEY = _dashed("-noout -text -pubin -pubout -modulus -check -text_pub -help", "-in -inform")
_DIGEST = _dashed(
    "-r -c -hex -binary -list -help -md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha512-256 "
    "-sha3-224 -sha3-256 -sha3-384 -sha3-512 -blake2b512 -blake2s256 -ripemd160 -sm3"
)
_LISTING = _dashed(
    "-a -v -V -s -tls1 -tls1_1 -tls1_2 -tls1_3 -stdname -help -b -c -d -e -f -m -n -o -p -r -1 "
    "-digest-commands -cipher-commands -commands -digest-algorithms -cipher-algorithms "
    "-public-key-algorithms -public-key-methods -disabled -options -providers -verbose "
    "-standard-commands -signature-algorithms -kdf-algorithms -objects",
    "-ciphersuites -select",
)
_VERIFY = _dashed(
    "-verbose -show_chain -partial_chain -crl_check -x509_strict -help -no-CAfile -no-CApath "
    "-trusted_first -check_ss_sig -allow_proxy_certs",
    "-CAfile -CApath -untrusted -trusted -purpose -verify_depth -verify_hostname -CRLfile -attime",
)
_RANDOM = _dashed("-hex -base64 -help")
_BASE64 = _dashed("-d -e -A -a -help", "-in")
_OPENSSL_SPECS = {
    **dict.fromkeys(("x509", "req", "crl", "pkcs7"), _CERTIFICATE),
    **dict.fromkeys(("rsa", "ec", "pkey", "dsa"), _PUBLIC_KEY),
    **dict.fromkeys(
        "dgst md5 sha1 sha224 sha256 sha384 sha512 sha3-256 blake2b512 ripemd160".split(), _DIGEST
    ),
    **dict.fromkeys(("version", "ciphers", "list", "help", "errstr", "info", "ecparam"), _LISTING),
    "verify": _VERIFY,
    "rand": _RANDOM,
    "base64": _BASE64,
    "prime": _dashed("-hex -help", "-checks"),
}
# openssl reads keys from stores too, and a scheme chooses the code that opens the store.
_STORE = re.compile(r"[A-Za-z][\w+.-]*:")
_NETWORKED = ("s_client", "s_server", "s_time", "ocsp", "cmp", "ts")
_MAKES = "genrsa genpkey gendsa enc pkcs12 pkcs8 ca cms smime dhparam rehash passwd".split()


def _openssl(invocation: Invocation) -> Use:
    verb = invocation.args[0].value if invocation.args else None
    if sole(invocation, ("--version", "-v", "--help", "-help")):
        return READS
    if verb in _NETWORKED:
        return network(f"`openssl {verb}` connects")
    if verb in _MAKES:
        return writes(f"`openssl {verb}` makes or opens keys and files")
    spec = _OPENSSL_SPECS.get(verb or "")
    if spec is None:
        return unknown(f"`openssl {verb or '…'}` is not known to only read")
    given = arguments(invocation.args[1:], spec)
    if given.has("-out", "-keyout", "-signkey", "-new", "-x509", "-sign", "-writerand", "-C"):
        return writes("writes a key, a certificate or a file")
    if given.unclear:
        return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
    return _openssl_source(given) | _openssl_output(verb or "", given)


def _openssl_source(given: Arguments) -> Use:
    values = [option.value.text for option in given.options if option.value is not None]
    named = [text for text in (*values, *(w.text for w in given.operands)) if _STORE.match(text)]
    if not named:
        return READS
    if any("//" in text for text in named):
        return network("a file is fetched from an address")
    return unknown(f"`{named[0]}` is not a plain file")


def _openssl_output(verb: str, given: Arguments) -> Use:
    """Certificates are public; a key prints itself unless it is kept from it or goes in public."""
    quiet = given.has("-noout", "-help")
    if verb in ("x509", "req", "crl", "pkcs7"):
        return READS if quiet else unknown("without `-noout` it may convert")
    if verb in ("rsa", "ec", "pkey", "dsa"):
        public = given.has("-pubin", "-help")
        hidden = (quiet or given.has("-pubout")) and not given.has("-text")
        return READS if public or hidden else _SECRETS
    return READS


_KEYGEN = Spec(flags="lvB", values="fEF")
_GPG = Spec(
    flags="kKvqn",
    long_flags=(
        "--list-keys --list-public-keys --list-secret-keys --list-sigs --list-signatures "
        "--check-sigs --check-signatures --fingerprint --list-packets --show-keys --list-config "
        "--version --help --with-colons --with-fingerprint --with-subkey-fingerprint "
        "--with-subkey-fingerprints --with-keygrip --with-key-data --with-secret --batch --no-tty "
        "--verbose --quiet --no-auto-check-trustdb --list-gcrypt-config --dump-options "
        "--no-auto-key-retrieve --no-default-keyring --fixed-list-mode"
    ).split(),
    long_values=("--keyid-format", "--list-options", "--display-charset"),
    long_maybe=("--list-config",),
)
_GPG_LISTS = (
    "-k -K --list-keys --list-public-keys --list-secret-keys --list-sigs --list-signatures "
    "--check-sigs --check-signatures --fingerprint --list-packets --show-keys --list-config "
    "--version --help --dump-options --list-gcrypt-config"
).split()


def _gpg(invocation: Invocation) -> Use:
    private = ("--export-secret", "--decrypt", "-d", "--export-ssh", "--gen", "--full-gen")
    if any(word.text.startswith(private) for word in invocation.args):
        return _SECRETS
    keyserver = ("--recv", "--send", "--search", "--refresh", "--locate", "--keyserver", "--fetch")
    if any(word.text.startswith(keyserver) for word in invocation.args):
        return network("a key server is asked")
    return Asked(_GPG_LISTS, writes("changes keys, or writes a file"), _GPG)(invocation)


def _mkcert(invocation: Invocation) -> Use:
    asks = ("-CAROOT", "-help", "--help", "-version", "--version")
    return READS if sole(invocation, asks) else writes("makes a certificate")


PROGRAMS: Mapping[str, Judge] = {
    "openssl": _openssl,
    "ssh-keygen": Asked(("-l", "-F", "-B"), writes("makes or changes keys"), _KEYGEN),
    "ssh-add": Asked(("-l", "-L"), _SECRETS, Spec(flags="lL", values="E"), operands=0),
    **dict.fromkeys(("gpg", "gpg2"), _gpg),
    "gpg-agent": Mostly(_SECRETS),
    "gpgconf": Flat(
        Spec(flags="L", long_flags="--list-dirs --list-components --version --help".split())
    ),
    "mkcert": _mkcert,
}
