"""Ruby and PHP tools: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.ruby_php import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
ruby -v
ruby --version
gem list
gem list --local
gem search rails
gem env
gem specification rails
gem which rails
gem outdated
bundle list
bundle show rails
bundle info rails
bundle outdated
bundle check
bundle --version
rake --version
rbenv versions
rbenv version
php -v
php -m
php -l index.php
php --ini
composer show
composer show --tree
composer outdated
composer validate
composer licenses
composer --version
composer why vendor/package
phpunit --version
""".strip().splitlines()
NOT_READING = (
    ("gem install x", Effect.NETWORK),
    ("gem list --source http://x", Effect.NETWORK),
    ("gem env --config-file x", Effect.UNKNOWN),
    ("bundle exec ls", Effect.RUNS),
    ("bundle config get x", Effect.SECRETS),
    ("ruby -c x", Effect.RUNS),
    ("ruby -v x.rb", Effect.RUNS),
    ("php -l -r x", Effect.RUNS),
    ("php -r x", Effect.RUNS),
    ("php x.php", Effect.RUNS),
    ("php -i x", Effect.RUNS),
    ("php -i", Effect.SECRETS),
    ("php --info", Effect.SECRETS),
    ("composer config a b", Effect.WRITES),
    ("composer exec ls", Effect.RUNS),
)
ORDINARY = """
bundle exec rspec
rake test
phpunit
composer install
""".strip().splitlines()
FOREIGN = """
bundle exec ls
rake -f /tmp/Rakefile
""".strip().splitlines()


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why


@pytest.mark.parametrize("text", ORDINARY)
def test_the_usual_steps_of_development_are_ordinary_but_no_reads(text: str) -> None:
    use = line(text)
    assert use.effect & Effect.DEVELOPMENT
    assert use.effect & (Effect.RUNS | Effect.WRITES)


@pytest.mark.parametrize("text", FOREIGN)
def test_code_or_settings_from_elsewhere_are_not_ordinary(text: str) -> None:
    use = line(text)
    assert not use.effect & Effect.DEVELOPMENT
    assert use.effect & ~Effect.REMOTE_READ
