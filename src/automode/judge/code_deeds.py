"""Code and variables inside a call: whether they do more than look at what they were given."""

import re

LONGEST_CODE = 20_000
INLINE = re.compile(r"^eval\b|^- ¦| ¦.*(?:^| )(?:-c|-e|-r|-p|-pe|-ne|-es|--eval|--print|-)(?: |$)")
_ACTS = re.compile(
    r"rmSync|rmdir|unlink|rmtree|rm_rf|removeSync|\.remove\(|system\s*\(|exec\w*\s*\(|spawn|subprocess|"
    r"popen|child_process|fetch\s*\(|requests?\.|https?\.|urlopen|urllib|socket|net\.|\.shell|writeFile|"
    r"write_text|write_bytes|appendFile|open\([^)]{0,200}[\"'][wax]|environ|process\.env|Deno\.|"
    r"eval\s*\(|__import__|getattr|base64|b64|pickle|ctypes|\.rename|shutil|chmod|kill|`|%x|qx",
    re.IGNORECASE,
)
# Variables that lead a program to another one, or past its checks.
STEERS = re.compile(
    r"GIT_\w+|HUSKY\w*|SKIP|LEFTHOOK|PRE_COMMIT\w*|LD_\w+|DYLD_\w+|NODE_OPTIONS|"
    r"PYTHON(?:STARTUP|PATH|HOME|INSPECT)|RUSTC_\w*WRAPPER|PYTEST_PLUGINS|_?JAVA_(?:TOOL_)?OPTIONS|"
    r"LESS(?:OPEN|CLOSE)|MANPAGER|MAKEFILES|"
    r"BASH_ENV|ENV|PERL5\w*|RUBYOPT|EDITOR|VISUAL|PAGER|BROWSER|SHELL|PROMPT_COMMAND|"
    r"(?i:npm_config_\w+|\w*_proxy|pip_(?:index|extra|trusted)\w*|uv_\w*index\w*|cargo_regist\w*|goproxy)"
)


def acts(*texts: str) -> bool:
    return any(_ACTS.search(text[:LONGEST_CODE]) for text in texts)
