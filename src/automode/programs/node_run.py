"""Where the modules for interpreters look for `script_file`."""

from automode.programs.development import script_file as script_file
