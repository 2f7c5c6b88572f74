"""`automode` for an account whose home is another folder: python account.py HOME WORDS…

Whose home it is, the system's database of accounts says: no variable changes it.
"""

import os
import pwd
import sys

if __name__ == "__main__":
    home, *words = sys.argv[1:]
    row = list(pwd.getpwuid(os.getuid()))
    row[5] = home
    pwd.getpwuid = lambda uid: pwd.struct_passwd(row)
    sys.argv = ["automode", *words]
    from automode.cli.main import cli

    cli(prog_name="automode")
