"""macos: which command lines of macOS programs only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.macos import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
defaults read
defaults read com.apple.Finder ShowPathbar
defaults -currentHost read x
defaults export x -
plutil a.plist
plutil -p a.plist
plutil -lint a.plist
plutil -convert json -o - a.plist
dscl . -read /Users/ada
dscl . -list /Users
xcrun --show-sdk-path
xcrun --sdk iphoneos --find clang
xcrun simctl list
xcode-select -p
sips -g pixelWidth a.png
textutil -convert txt -stdout a.rtf
textutil -info a.rtf
caffeinate -t 60
diskutil list
diskutil info disk0
diskutil apfs list
mdls -name kMDItemPageCount a.pdf
mdutil -s /
mdutil -a -s
mdimport -X
say -r 200 hello
networksetup -getinfo Wi-Fi
networksetup -listallhardwareports
pmset -g
pmset -g batt
scutil --get LocalHostName
scutil --dns
csrutil status
tmutil status
tmutil listlocalsnapshotdates /
hdiutil info
log show --last 1h
nvram -p
qlmanage -h
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
defaults write x y -bool true
defaults delete x
defaults export x out.plist
plutil -convert xml1 a.plist
plutil -convert json -o out a.plist
plutil -replace a -string b a.plist
sips -z 10 10 a.png
sips -g pixelWidth --out b.png a.png
textutil -convert txt a.rtf
say -o out.aiff hello
mdimport .
screencapture out.png
pbcopy
""".strip().splitlines(),
    Effect.SYSTEM: r"""
diskutil apfs deleteVolume disk1s1
mdutil -i off /
networksetup -setdnsservers Wi-Fi 1.1.1.1
pmset -a sleep 0
pmset -g -a sleep 0
scutil --set HostName x
csrutil disable
tmutil startbackup
nvram boot-args=x
xcode-select -s /x
dscl . -create /Users/x
log erase --all
""".strip().splitlines(),
    Effect.RUNS: r"""
open .
open -a Terminal
osascript -e 'x'
caffeinate -i make
xcrun clang a.c
shortcuts run x
""".strip().splitlines(),
    Effect.NETWORK: r"""
softwareupdate -l
dscl /LDAPv3/x.test -list /Users
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
diskutil eject disk2
diskutil list -frob
mdls -plist out a.pdf
""".strip().splitlines(),
}


@pytest.mark.parametrize("line", READING)
def test_a_form_that_only_prints_reads(line: str, use_of: UseOf) -> None:
    assert use_of(PROGRAMS, line).effect is Effect.NONE


@pytest.mark.parametrize(
    ("effect", "line"), [(effect, line) for effect, lines in OTHERWISE.items() for line in lines]
)
def test_a_form_that_does_more_says_what(effect: Effect, line: str, use_of: UseOf) -> None:
    use = use_of(PROGRAMS, line)
    assert effect in use.effect
    assert use.why
