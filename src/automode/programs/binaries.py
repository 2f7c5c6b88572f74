"""Tools that look into object files and executables."""

from collections.abc import Mapping

from automode.programs.forms import Asked, Mostly
from automode.programs.rows import Flat
from automode.programs.use import Judge, runs, writes
from automode.shell.options import Spec

_PLUGIN = runs("`--plugin` loads code")
_NM = Spec(
    flags="aABCDglnpPrsSuUvVjoxWmf",
    values="tfX",
    long_flags=(
        "--debug-syms --print-file-name --demangle --dynamic --extern-only --line-numbers "
        "--numeric-sort --no-sort --portability --reverse-sort --print-size --print-armap "
        "--undefined-only --defined-only --size-sort --special-syms --synthetic --help --version "
        "--no-demangle --with-symbol-versions --without-symbol-versions --no-weak --just-symbols"
    ).split(),
    long_values=("--format", "--radix", "--target", "--plugin", "--unicode", "--ifunc-chars"),
    long_maybe=("--demangle",),
)
_OBJDUMP = Spec(
    flags="afpPhxdDSgtTrRsGeCwlFz",
    values="jmMb",
    long_flags=(
        "--archive-headers --file-headers --private-headers --section-headers --headers "
        "--all-headers --disassemble-all --source --full-contents --debugging --stabs --syms "
        "--dynamic-syms --reloc --dynamic-reloc --line-numbers --wide --no-show-raw-insn "
        "--show-raw-insn --no-addresses --help --version --info --visualize-jumps --inlines "
        "--macho --exports-trie --bind --rebase --lazy-bind --weak-bind --dylibs-used --dylib-id"
    ).split(),
    long_values=(
        "--section --architecture --disassembler-options --target --start-address --stop-address "
        "--prefix-strip --insn-width --adjust-vma --demangle --arch --arch-name"
    ).split(),
    long_maybe=("--disassemble", "--demangle", "--dwarf", "--visualize-jumps", "--private"),
)
_DWARFDUMP = Spec(
    flags="acrsuvwx",
    values="nfp",
    long_flags=(
        "--all --debug-info --debug-line --debug-abbrev --debug-frame --eh-frame --uuid --verify "
        "--statistics --summarize-types --show-sources --show-sections-sizes --verbose --quiet "
        "--help --version --show-children --show-parents --debug-str --debug-names"
    ).split(),
    long_values=("--arch", "--name", "--find", "--lookup", "--recurse-depth"),
)

PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(
        "readelf size otool c++filt addr2line llvm-readelf llvm-readobj llvm-size llvm-cxxfilt "
        "llvm-addr2line llvm-otool dyld_info eu-readelf eu-size".split(),
        Flat(any_option=True),
    ),
    **dict.fromkeys(("nm", "llvm-nm", "gnm"), Flat(_NM, effects={"--plugin": _PLUGIN})),
    **dict.fromkeys(("objdump", "llvm-objdump", "gobjdump"), Flat(_OBJDUMP)),
    **dict.fromkeys(("dwarfdump", "llvm-dwarfdump"), Flat(_DWARFDUMP)),
    "lipo": Asked(
        ("-info", "-archs", "-detailed_info", "-verify_arch"),
        writes("writes another binary"),
        Spec(
            long_flags=("-info", "-archs", "-detailed_info", "-verify_arch"),
            single_dash=True,
        ),
    ),
    "vtool": Asked(
        ("-show", "-show-build", "-show-space"),
        writes("writes another binary"),
        Spec(
            long_flags=("-show", "-show-build", "-show-space", "-show-version-min"),
            long_values=("-arch",),
            single_dash=True,
        ),
    ),
    **dict.fromkeys(("dsymutil", "bitcode_strip", "segedit"), Mostly(writes("writes a binary"))),
}
