"""`python -m automode` is `automode`."""

from automode.cli.main import main

if __name__ == "__main__":
    main()
