"""The command `automode`; `python -m automode` is the same."""

import sys


def main() -> None:
    if sys.platform == "win32":
        sys.exit(
            "error: automode does not run on Windows\nhint: install it inside WSL, beside the agent"
        )
    from automode.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
