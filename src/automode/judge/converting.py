"""Whether a command only makes an image, a sound or a film of the project out of another one.

Every option of such a program and every kind of file is listed here. What is read and what is
written lies in the workspace or in a folder for temporary files.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from automode.core.paths import absolute
from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge import file_deeds
from automode.shell.script import HOLE, Command

_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|ico|icns|bmp|tiff?|heic|mp[34]|m4[av]|mov|mkv|webm|avi|ogg|opus|wav|"
    r"flac|aac|srt|vtt|dot|gv|pdf|mmd|woff2?|ttf|otf)$",
    re.IGNORECASE,
)
_NUMBER = r"[\d.:x%+<>!^@,-]+[a-zA-Z%]{0,3}"
_WORD = r"[\w.:-]+"
# A chain of filters that read no file.
_STEP = (
    r"(?:\[[\w:]+\])*(?:scale|crop|pad|fps|setpts|a?trim|a?fade|volume|loudnorm|transpose|[hv]flip|"
    r"palettegen|paletteuse|split|concat|setsar|setdar|format|eq|unsharp|atempo|overlay|a?null|"
    r"a?reverse|rotate|hue|negate|tile|thumbnail|amix|aresample)(?:=[\w=:.*/+()'-]*)?(?:\[[\w:]+\])*"
)
_FILTER = rf"{_STEP}(?:[,;]{_STEP})*"
_ENDING = r"[\w-]*\.(?:png|jpe?g|webp)"
_COLOUR = r"#[0-9a-fA-F]{3,8}|[a-z]+"


@dataclass(frozen=True, slots=True)
class _Converter:
    """`valued`: options with what their values look like. `out`: options that name what is made;
    without one it is the last word. `alone`: it changes the files that it is given."""

    plain: frozenset[str]
    valued: Mapping[str, re.Pattern[str]]
    out: frozenset[str] = frozenset()
    alone: bool = False


def _converter(plain: str, numbers: str = "", words: str = "", **given: object) -> _Converter:
    valued = {one: re.compile(_NUMBER) for one in numbers.split()}
    valued |= {one: re.compile(_WORD) for one in words.split()}
    valued |= {one: re.compile(_FILTER) for one in str(given.get("filters", "")).split()}
    valued |= {one: re.compile(_COLOUR) for one in str(given.get("colours", "")).split()}
    valued |= {one: re.compile(_ENDING) for one in str(given.get("endings", "")).split()}
    out = frozenset(str(given.get("out", "")).split())
    return _Converter(frozenset(plain.split()), valued, out, alone=given.get("alone") is True)


_MAGICK = _converter(
    "-strip -trim +repage -auto-orient -flip -flop -negate -normalize -monochrome -append +append"
    " -coalesce -flatten -verbose -quiet",
    "-resize -thumbnail -crop -extent -quality -density -rotate -blur -sharpen -depth -colors"
    " -delay -loop -border -geometry -scale -sample -shave",
    "-gravity -interlace -colorspace -format -type -alpha -filter -dispose -layers",
    colours="-background -fill -bordercolor",
)
_CONVERTERS: Mapping[str, _Converter] = {
    "cwebp": _converter(
        "-lossless -mt -quiet -v -af -exact -noalpha -progress",
        "-q -m -size -resize -crop -z -alpha_q -near_lossless -psnr -segments -f",
        "-preset -metadata",
        out="-o",
    ),
    "dwebp": _converter("-quiet -v -mt -flip", "-scale -crop -resize", out="-o"),
    "gif2webp": _converter("-lossy -mixed -quiet -v -mt", "-q -m -f", out="-o"),
    "avifenc": _converter("-l --lossless", "-q --qcolor --qalpha -s --speed -j --jobs --min --max"),
    "ffmpeg": _converter(
        "-y -n -an -vn -sn -dn -hide_banner -shortest -nostdin -nostats",
        "-ss -to -t -crf -b:v -b:a -r -s -q:v -q:a -qscale:v -ar -ac -g -frames:v -vframes -threads"
        " -level -aspect -fs -maxrate -bufsize -loop -qmin -qmax",
        "-c -c:v -c:a -c:s -codec -codec:v -codec:a -vcodec -acodec -preset -tune -pix_fmt"
        " -movflags -profile:v -loglevel -v -map -map_metadata -vsync",
        filters="-vf -af -filter:v -filter:a -filter_complex -lavfi",
    ),
    "pngquant": _converter(
        "--force -f --skip-if-larger --strip --verbose -v --nofs",
        "--quality --speed -s --posterize",
        endings="--ext",
        out="--output -o",
        alone=True,
    ),
    "optipng": _converter(
        "-o1 -o2 -o3 -o4 -o5 -o6 -o7 -quiet -silent -v -fix -preserve", "-strip", alone=True
    ),
    "oxipng": _converter("-Z -a -p -q -v --strip", "-o --opt -t", out="--out", alone=True),
    "jpegoptim": _converter(
        "--strip-all -s -t -q -v -p --all-progressive --preserve --totals",
        "-m --max --size -S --threshold",
        out="-d --dest",
        alone=True,
    ),
    "svgo": _converter(
        "--multipass --pretty -r --recursive -q", "-p --precision", out="-o --output"
    ),
    "rsvg-convert": _converter(
        "-a --keep-aspect-ratio",
        "-w --width -h --height -d -p -z --zoom",
        "-f --format",
        out="-o --output",
    ),
    **dict.fromkeys(
        ("dot", "neato", "fdp", "circo", "twopi"),
        _converter("-Tsvg -Tpng -Tpdf -Tjpg -Tgif -O -v -q", "-Gdpi", out="-o"),
    ),
    "gifsicle": _converter(
        "-O1 -O2 -O3 --optimize -b --batch --careful",
        "--lossy --colors --scale --resize --delay",
        out="-o --output",
    ),
    **dict.fromkeys(("convert", "magick"), _MAGICK),
}
# They read the whole folder that they are given.
_OF_FOLDERS = frozenset({"svgo"})


def converts(command: Command, workspace: Workspace) -> bool:
    known = _CONVERTERS.get(command.program)
    if known is None or "/" in command.words[0].text or command.assignments or command.elevated:
        return False
    texts = [word.text for word in command.args]
    if any(HOLE in one for one in texts):
        return False
    read = _files(texts, known, command.program)
    if read is None:
        return False
    at = command.cwd or workspace.cwd
    return bool(read) and all(_is_own(one, at, command.program, workspace) for one in read)


def _files(texts: list[str], known: _Converter, program: str) -> list[str] | None:
    """What is read and made; None where a word is not listed."""
    found: list[str] = []
    words = iter(texts)
    for text in words:
        option, equals, value = text.partition("=")
        if text == "-i" or (program in _OF_FOLDERS and text in ("-f", "--folder")):
            found.append(next(words, ""))
        elif option in known.out:
            found.append(value if equals else next(words, ""))
        elif option in known.valued:
            if not known.valued[option].fullmatch(value if equals else next(words, "")):
                return None
        elif text[:1] in "-+":
            if text not in known.plain:
                return None
        else:
            found.append(text)
    return found


def _is_own(path: str, at: str, program: str, workspace: Workspace) -> bool:
    """Whether it is plainly a file of the project: no address, no list, no format in front."""
    if not re.fullmatch(r"[\w./ ()@%+-]+", path) or path[:1] in "-@":
        return False
    full = absolute(path, at)
    if file_deeds.where(full, Command(()), workspace) not in ("here", "generated", "scratch"):
        return False
    folder = program in _OF_FOLDERS | {"jpegoptim"} and "." not in path.rsplit("/", 1)[-1]
    is_media = folder or _MEDIA.search(path) is not None
    return (
        is_media
        and not file_deeds.steers(full, workspace)
        and not may_be_credential(full, workspace.home)
    )
