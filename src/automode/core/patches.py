"""Which files a patch touches: the `*** Update File:` dialect and unified diffs."""

_MARKERS = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
_FRAMES = ("*** Begin Patch", "*** End Patch", "*** End of File", "*** Environment ID:")
_GIT_MARKERS = ("rename from ", "rename to ", "copy to ")


def patched_files(patch: str) -> tuple[str, ...]:
    """Every path the patch names, in order; empty when any part of it cannot be read."""
    lines = patch.splitlines()
    found = _marked(lines) if any(line.lstrip().startswith("*** ") for line in lines) else ()
    if found is None:
        return ()
    paths = (*found, *_unified(lines))
    return tuple(dict.fromkeys(paths)) if all(paths) else ()


def _marked(lines: list[str]) -> tuple[str, ...] | None:
    """Paths of the marker lines; None when there is a marker nobody has described to us."""
    found: list[str] = []
    for line in lines:
        text = line.strip()
        marker = next((marker for marker in _MARKERS if text.startswith(marker)), None)
        if marker:
            found.append(text[len(marker) :].strip())
        elif line.startswith("*** ") and not text.startswith(_FRAMES):
            return None
    return tuple(found)


def _unified(lines: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for index, line in enumerate(lines):
        after = lines[index + 1] if index + 1 < len(lines) else ""
        if line.startswith("--- ") and after.startswith("+++ "):
            found += [_header(line), _header(after)]
        marker = next((marker for marker in _GIT_MARKERS if line.startswith(marker)), None)
        if marker:
            found.append(line[len(marker) :].strip())
    return tuple(path for path in found if path != "/dev/null")


def _header(line: str) -> str:
    """The path of a `---` or `+++` line, without its date and git's `a/` or `b/`."""
    path = line[4:].split("\t", 1)[0].strip().strip('"')
    return path[2:] if path.startswith(("a/", "b/")) else path
