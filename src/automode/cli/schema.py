"""`automode schema`: the JSON Schema of settings files."""

import click

from automode.cli.printing import say_json
from automode.config.keys import ROWS, SHARED_ROWS
from automode.config.schema import schema as settings_schema


@click.command()
@click.option("--shared", is_flag=True, help="The schema of the file that is checked in.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; it always is.")
def schema(*, shared: bool, as_json: bool) -> None:
    """Print the JSON Schema of settings files, for editors and validators."""
    say_json(settings_schema(SHARED_ROWS if shared else ROWS))
