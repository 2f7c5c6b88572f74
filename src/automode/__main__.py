"""The command `automode`; `python -m automode` is the same."""

import sys


def main() -> None:
    if sys.platform == "win32":
        sys.exit(
            "error: automode does not run on Windows\nhint: install it inside WSL, beside the agent"
        )
    try:
        from automode.cli.main import main as run

        run()
    except KeyboardInterrupt:  # while it loads: a command that runs has its own sentence
        sys.exit(130)


if __name__ == "__main__":
    main()
