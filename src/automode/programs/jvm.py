"""Java, Kotlin, Scala and Clojure: compilers, build tools and what looks into class files."""

from collections.abc import Mapping

from automode.programs.development import Develops, develops
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, writes
from automode.programs.verbs import Verbs, always, asks_only, many, prints, reads, remote, spec
from automode.shell.options import arguments

_VERSION = ("--version", "-version", "-v", "-V", "--help", "-h", "-help")


def or_version(judge: Judge, *also: str) -> Judge:
    """`judge`, except where the whole command line asks for the version or for help."""

    def told(invocation: Invocation) -> Use:
        return READS if asks_only(invocation, *_VERSION, *also) else judge(invocation)

    return told


_GRADLE = develops(
    "-p --project-dir -b --build-file -I --init-script -g --gradle-user-home -c --settings-file"
    " --include-build -P --scan"
)
_MAVEN = develops("-f --file -s --settings -gs --global-settings -t --toolchains -Dexec.executable")
_PUBLISHING = frozenset(
    (
        "publish",
        "deploy",
        "release:perform",
        "release:prepare",
        "uploadArchives",
        "publishToMavenCentral",
    )
)


def _build_tool(develop: Develops) -> Judge:
    def judge(invocation: Invocation) -> Use:
        if asks_only(invocation, *_VERSION):
            return READS
        if any(word.text.rsplit(":", 1)[-1] in _PUBLISHING for word in invocation.args):
            return Use(Effect.RUNS | Effect.REMOTE_WRITE, "it publishes the project")
        return develop(invocation)

    return judge


def _jar(invocation: Invocation) -> Use:
    """`jar tf FILE` lists. Its first argument is a bundle of letters, with or without a dash."""
    texts = [word.text for word in invocation.args]
    if asks_only(invocation, "--version", "--help", "-h"):
        return READS
    first = texts[0].lstrip("-") if texts else ""
    if first in ("tf", "tvf", "ft", "vtf", "t") and invocation.literal:
        return READS
    given = arguments(invocation.args, spec("--list --file= -t -f= -v --verbose"))
    if given.has("--list", "-t") and not given.unclear and not given.has("-#"):
        return READS
    return writes("it creates, changes or unpacks an archive")


_JAVAP = (
    "-c -l -s -p -v -verbose -public -protected -package -private -sysinfo -constants -version"
    " -help -classpath= -cp= --class-path= --module= -m= --module-path= --multi-release="
)
_KEYTOOL = always(Effect.SECRETS, "it opens a store of keys")
_SDK: dict[str, Judge] = {
    **many("current version home help", prints),
    **many("list ls", remote()),
    **many(
        "install i uninstall rm use default upgrade flush selfupdate",
        always(Effect.WRITES | Effect.NETWORK, "it installs or selects a version"),
    ),
}
_MIGRATES = always(Effect.RUNS, "it runs the project's code")

PROGRAMS: Mapping[str, Judge] = {
    "java": or_version(
        lambda _: runs("it runs a program"), "--list-modules", "-showversion", "--show-version"
    ),
    "javac": or_version(develops("-processorpath -processor -J --processor-path", Effect.WRITES)),
    "javap": Flat(spec(_JAVAP, single_dash=True)),
    "jar": _jar,
    "jdeps": reads("-s -v -summary --summary -verbose --list-deps --print-module-deps --version"),
    "jps": reads("-q -m -l -v -V -lv -lm"),
    "java_home": reads("-V -v= -F --failfast"),
    **many("gradle gradlew", _build_tool(_GRADLE)),
    **many("mvn mvnw mvnd", _build_tool(_MAVEN)),
    "ant": _build_tool(develops("-f -file -buildfile -lib -propertyfile -logger -listener")),
    "sbt": _build_tool(develops("-sbt-jar -java-home --sbt-jar -addPluginSbtFile")),
    "mill": _build_tool(develops("--home --import")),
    "lein": or_version(
        Verbs(
            {
                **many("version help", prints),
                **many("test check compile run uberjar jar deps classpath do repl", develops()),
                "deploy": always(Effect.RUNS | Effect.REMOTE_WRITE, "it publishes the project"),
            }
        )
    ),
    **many("clojure clj scala scala-cli kotlin groovy jshell", or_version(_MIGRATES)),
    **many("kotlinc scalac groovyc", or_version(develops("-Xplugin -P", Effect.WRITES))),
    **many("ktlint detekt checkstyle scalafmt google-java-format", or_version(develops())),
    "keytool": or_version(_KEYTOOL),
    "sdk": Verbs(_SDK),
    "jenv": Verbs(
        {
            **many(
                "versions version version-name root which whence commands help", reads("--bare")
            ),
            **many("local global shell add remove enable-plugin", lambda _: writes("it selects")),
        }
    ),
}
