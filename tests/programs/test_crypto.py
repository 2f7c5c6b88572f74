"""crypto: which command lines of keys and certificates only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.crypto import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
openssl version -a
openssl ciphers -v
openssl list -digest-commands
openssl x509 -noout -subject -issuer -in cert.pem
openssl x509 -in cert.pem -noout -text
openssl req -in a.csr -noout -text
openssl rsa -noout -modulus -in key.pem
openssl rsa -pubin -text -noout -in pub.pem
openssl pkey -in key.pem -text_pub -noout
openssl rsa -in key.pem -pubout
openssl dgst -sha256 a.txt
openssl sha256 a.txt
openssl rand -hex 32
openssl verify -CAfile ca.pem cert.pem
openssl base64 -d -in a.txt
ssh-keygen -l -f key.pub
ssh-keygen -lf key.pub
ssh-keygen -F x.test
ssh-add -l
gpg --list-keys
gpg -K --keyid-format long
gpg --version
mkcert -CAROOT
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
openssl genrsa 4096
openssl enc -aes-256-cbc -in a -out b
openssl req -new -key key.pem -out a.csr
openssl x509 -noout -in a.pem -out b.pem
openssl rand -out a 32
openssl pkcs12 -export -in cert.pem
ssh-keygen -t ed25519
ssh-keygen -R x.test
gpg --import a.asc
gpg --delete-keys x
mkcert localhost
""".strip().splitlines(),
    Effect.SECRETS: r"""
openssl rsa -in key.pem -text
openssl rsa -in key.pem
openssl pkey -in key.pem -text -noout
openssl pkey -in key.pem -text_pub
openssl ec -in key.pem -text_pub
openssl rsa -in key.pem -pubout -text
ssh-add key
gpg --export-secret-keys
gpg -d a.gpg
gpg --decrypt a.gpg
""".strip().splitlines(),
    Effect.NETWORK: r"""
openssl s_client -connect x.test:443
openssl x509 -noout -in http://x.test/c
openssl dgst -sha256 https://x.test/a
openssl verify -CAfile http://x.test/ca c.pem
gpg --recv-keys 0x1
gpg --keyserver x.test --search-keys y
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
openssl x509 -in cert.pem -text
openssl dgst -sha256 -verify pub.pem -signature sig a.txt
openssl dgst -engine x a.txt
openssl x509 -noout -config evil.cnf
openssl frob
openssl rsa -noout -in org.openssl.engine:x:key
""".strip().splitlines(),
}


@pytest.mark.parametrize("line", READING)
def test_a_form_that_only_prints_reads(line: str, use_of: UseOf) -> None:
    assert use_of(PROGRAMS, line).effect is Effect.NONE


@pytest.mark.parametrize(
    ("effect", "line"), [(effect, line) for effect, lines in OTHERWISE.items() for line in lines]
)
def test_a_form_that_does_more_says_what(effect: Effect, line: str, use_of: UseOf) -> None:
    use = use_of(PROGRAMS, line)
    assert effect in use.effect
    assert use.why
