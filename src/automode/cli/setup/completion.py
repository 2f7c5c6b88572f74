"""`automode completion`: the script that lets a shell complete commands and options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    \b
      bash   eval "$(automode completion bash)"          in ~/.bashrc
      zsh    eval "$(automode completion zsh)"           in ~/.zshrc
      fish   automode completion fish > ~/.config/fish/completions/automode.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click has no completion for `{shell}`")
    root = context.find_root().command
    click.echo(kind(root, {}, "automode", "_AUTOMODE_COMPLETE").source())
