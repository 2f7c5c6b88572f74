"""The commands `init`, `critique` and `policy test`. What decides is loaded when one runs."""

import click

from automode.cli.options import (
    cwd_option,
    no_classifier_option,
    runs,
    settings_options,
    usual_options,
)


@click.command()
@click.option("--dry-run", is_flag=True, help="Show every step, and change nothing.")
@click.option("--yes", is_flag=True, help="Say yes to every step; needed when nobody is there.")
@click.option("--no-start", is_flag=True, help="Start no agent at the end: proves less.")
@settings_options
@click.pass_obj
@runs("setup.init.set_up")
def init() -> None:
    """Set automode up: find your agents, take over their rules, draft what the judge should know of
    this machine, choose who judges, install, and prove that a forbidden call is stopped.

    Asks before every step, and writes each as a whole. Run it again whenever you like: what is done
    is left alone. This command is for people: an agent that calls it is denied.
    """


@click.command()
@click.option("--model", "by_model", is_flag=True, help="Have the classifier's model comment too.")
@cwd_option
@usual_options
@runs("setup.critique.criticise")
def critique() -> None:
    """Say what in your rules and prose never matches, is covered by another, contradicts, is
    broader than it looks, is set aside, or is not understood; each with its file and line.

    Rules are tried with made-up calls by the gate's own matcher. Nothing is run or changed. With
    --model your sentences go to the classifier's model, which comments on them.

    Exit code 0: nothing was found. 1: something was.
    """


@click.group()
def policy() -> None:
    """Try the settings in force on calls of your own."""


@policy.command("test")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--junit", metavar="FILE", help="Write the outcome for a CI, too.")
@cwd_option
@no_classifier_option
@usual_options
@runs("setup.policy_test.try_cases")
def test_policy() -> None:
    """Hold the calls in FILE against the settings in force, and show where the verdict differs.

    A case is an object with a call as `automode check` takes it (`command`, or `tool` and `input`;
    `messages`, `prior_calls`, `cwd`), with `expect` (allow, ask or deny), and if wanted `source`,
    `name` and `attended`. Nothing is run, and nothing recorded.

    Exit code 0: all as expected. 1: some differ. 2: a file cannot be used; its line is named.
    """
