"""The configuration keys that are known to be harmless for git's reading commands.

Everything else, in any configuration file that git would read, means that nothing is proved: a key
that a later version of git adds is not taken for a harmless one.
"""

import re
from enum import Flag, auto
from functools import lru_cache

from automode.programs.git_config import Setting


class Family(Flag):
    """What a command does that a setting can turn into more than reading."""

    NONE = 0
    DATA = auto()  # reads the index or objects, which a partial clone fetches when they are missing
    PAGER = auto()
    WORKTREE = auto()  # looks at files of the checkout: filters, the hook of the index
    EXTERNAL = auto()  # may hand a comparison to another program
    TEXTCONV = auto()  # shows contents, which drivers convert or merge first
    LOG = auto()  # shows commits in the configured format
    GREP = auto()
    FSCK = auto()
    TRAILER = auto()
    LFS = auto()  # a program of its own: another command stands in for it where it is missing
    PRINTS = auto()  # prints settings


# Harmless for every command that does not belong to the family; `*` stands for anything.
_KEYS: dict[Family, str] = {
    Family.NONE: """
        user.* author.* committer.* color.* column.* advice.* i18n.* init.* clone.* checkout.*
        switch.* add.* commit.* tag.* branch.* push.* pull.* fetch.* rebase.* rerere.* revert.*
        stash.* am.* apply.* mailinfo.* mailsplit.* clean.* reset.* gc.* maintenance.* pack.*
        repack.* commitgraph.* bundle.* transfer.* receive.* uploadpack.* uploadpackfilter.*
        uploadarchive.* lsrefs.* fastimport.* protocol.* ssh.* http.* https.* url.* credential.*
        credentialcache.* credentialstore.* remotes.* remote.pushdefault safe.* scalar.* sendemail.*
        sendpack.* imap.* svn.* svn-remote.* gitcvs.* gitweb.* instaweb.* gui.* guitool.* gitk.*
        man.* browser.* web.* mergetool.* difftool.* interactive.* sequence.* notes.* worktree.*
        versionsort.* showbranch.* completion.* alias.* tar.* gpg.* feature.* sparse.* reftable.*

        remote.*.url remote.*.pushurl remote.*.fetch remote.*.push remote.*.mirror remote.*.prune
        remote.*.prunetags remote.*.tagopt remote.*.proxy remote.*.proxyauthmethod remote.*.vcs
        remote.*.receivepack remote.*.uploadpack remote.*.skipdefaultupdate remote.*.skipfetchall
        remote.*.followremotehead remote.*.serveroption remote.*.gh-resolved
        remote.*.glab-resolved remote.*.lfsurl remote.*.lfspushurl

        core.abbrev core.askpass core.autocrlf core.bare core.bigfilethreshold
        core.checkroundtripencoding core.checkstat core.commentchar core.commentstring
        core.commitgraph core.compression core.createobject core.deltabasecachelimit
        core.disambiguate core.editor core.eol core.filemode core.filesreflocktimeout
        core.fsmonitorhookversion core.fsync core.fsyncmethod core.fsyncobjectfiles core.fscache
        core.gitproxy core.hidedotfiles core.hookspath core.ignorecase core.ignorestat
        core.logallrefupdates core.longpaths core.loosecompression core.maxtreedepth
        core.multipackindex core.notesref core.packedgitlimit core.packedgitwindowsize
        core.packedrefstimeout core.precomposeunicode core.prefersymlinkrefs core.preloadindex
        core.protecthfs core.protectntfs core.quotepath core.repositoryformatversion
        core.restrictinheritedhandles core.safecrlf core.sharedrepository core.sparsecheckout
        core.sparsecheckoutcone core.sshcommand core.symlinks core.trustctime core.unsetenvvars
        core.untrackedcache core.usereplacerefs core.warnambiguousrefs core.whitespace
        core.worktree include.path includeif.*.path

        extensions.objectformat extensions.compatobjectformat extensions.worktreeconfig
        extensions.preciousobjects extensions.refstorage extensions.relativeworktrees
        extensions.noop index.threads index.version index.sparse index.recordendofindexentries
        index.recordoffsettable index.skiphash

        log.abbrevcommit log.date log.decorate log.diffmerges log.excludedecoration log.follow
        log.graphcolors log.initialdecorationset log.mailmap log.showroot blame.blankboundary
        blame.coloring blame.date blame.markignoredlines blame.markunblamablelines blame.showemail
        blame.showroot status.aheadbehind status.branch status.comparebranches
        status.displaycommentprefix status.relativepaths status.renamelimit status.renames
        status.short status.showstash status.showuntrackedfiles grep.column grep.extendedregexp
        grep.fullname grep.linenumber grep.patterntype grep.threads

        diff.algorithm diff.autorefreshindex diff.colormoved diff.colormovedws diff.context
        diff.dirstat diff.guitool diff.ignoresubmodules diff.indentheuristic diff.interhunkcontext
        diff.mnemonicprefix diff.noprefix diff.srcprefix diff.dstprefix diff.relative
        diff.renamelimit diff.renames diff.statgraphwidth diff.statnamewidth
        diff.suppressblankempty diff.tool diff.trustexitcode diff.wordregex diff.wserrorhighlight
        diff.*.algorithm diff.*.binary diff.*.funcname diff.*.xfuncname diff.*.wordregex
        diff.*.trustexitcode merge.autostash merge.branchdesc merge.conflictstyle
        merge.defaulttoupstream merge.directoryrenames merge.ff merge.guitool merge.log
        merge.renamelimit merge.renames merge.stat merge.suppressdest merge.tool
        merge.verbosity merge.verifysignatures merge.*.name merge.*.recursive filter.*.required

        format.attach format.cc format.coverfromdescription format.coverletter
        format.encodeemailheaders format.filenamemaxlength format.forceinbodyfrom format.from
        format.headers format.mboxrd format.noprefix format.notes format.numbered
        format.outputdirectory format.signature format.signoff format.subjectprefix format.suffix
        format.thread format.to format.useautobase

        submodule.active submodule.alternateerrorstrategy submodule.alternatelocation
        submodule.fetchjobs submodule.propagatebranches submodule.*.active submodule.*.branch
        submodule.*.fetchrecursesubmodules submodule.*.ignore submodule.*.shallow submodule.*.update
        submodule.*.url submodule.*.path submodule.*.gitdir

        lfs.repositoryformatversion lfs.url lfs.pushurl lfs.locksverify lfs.*.locksverify
        lfs.*.access lfs.fetchinclude lfs.fetchexclude lfs.fetchrecentalways lfs.concurrenttransfers
        lfs.activitytimeout lfs.dialtimeout lfs.tlstimeout lfs.keepalive lfs.setlockablereadonly
        lfs.allowincompletepush lfs.skipdownloaderrors lfs.contenttype

        github.* gitlab.* gitlab-pipelines.* hub.* ghq.* gk.* gitbutler.* gitflow.* gitreview.*
        gerrit.* git-town.* git-town-branch.* branchless.* spice.* stgit.* machete.* absorb.*
        revise.* cola.* tig.* magit.* bash.* oh-my-zsh.* secrets.* gitlens.* diff-so-fancy.*
        pack-refs.* rerere.enabled delta.*navigate delta.*light delta.*dark delta.*side-by-side
        delta.*line-numbers delta.*syntax-theme delta.*features delta.*hyperlinks delta.*true-color
        delta.*-style delta.*-format delta.*tabs delta.*width delta.*diff-so-fancy
        delta.*diff-highlight delta.*keep-plus-minus-markers
    """,
    Family.DATA: """
        core.fsmonitor core.usebuiltinfsmonitor fsmonitor.* extensions.partialclone
        remote.*.promisor remote.*.partialclonefilter
    """,
    Family.PAGER: "core.pager pager.* delta.*",
    Family.WORKTREE: """
        filter.*.clean filter.*.smudge filter.*.process lfs.* annex.* status.submodulesummary
        core.splitindex splitindex.*
    """,
    Family.EXTERNAL: "diff.external diff.*.command",
    Family.TEXTCONV: """
        diff.*.textconv diff.*.cachetextconv merge.*.driver merge.default merge.renormalize
        diff.submodule diff.orderfile
    """,
    Family.LOG: "log.showsignature format.pretty pretty.*",
    Family.GREP: "submodule.recurse grep.fallbacktonoindex",
    Family.FSCK: "fsck.*",
    Family.TRAILER: "trailer.*",
    Family.LFS: "help.*",
}

# Harmless for the commands that change something, too.
_FOR_CHANGES = """
    user.name user.email author.* committer.* color.* column.* advice.* i18n.* core.quotepath
    core.abbrev core.autocrlf core.eol core.safecrlf core.ignorecase core.filemode core.longpaths
    core.precomposeunicode core.preloadindex core.untrackedcache core.commentchar core.checkstat
    core.trustctime diff.renames diff.renamelimit diff.algorithm merge.conflictstyle merge.renames
    merge.renamelimit merge.stat init.defaultbranch commit.gpgsign tag.gpgsign pull.rebase pull.ff
    fetch.prune rerere.enabled submodule.recurse gc.auto feature.* index.threads pack.threads
"""
_ON_OR_OFF = r"(?i:true|false|yes|no|on|off|0|1)?"
_OFF = r"(?i:false|no|off|0)?"
_LESS = (
    r"less(?: (?:-[aeEfFgGiIJKmMnNqQrRsSuUwWXx0-9,]+|--(?:tabs=[\d,]+|RAW-CONTROL-CHARS|mouse)))*"
)
_PAGER = rf"cat|more|most|bat|delta|(?:diff-so-fancy \| |diff-highlight \| )?{_LESS}"
_ATOMS = (
    "refname object[a-z]* deltabase tree parent numparent type tag[a-z]* author[a-z]* "
    "committer[a-z]* creator[a-z]* subject body contents upstream push symref flag HEAD "
    "worktreepath ahead-behind color align end if then else trailers rest raw decorate path stage "
    "eolinfo eolattr"
)
_FORMAT = (
    r"(?:[^%]|%%|%[-+ ]?(?:[HhTtPpeSsfbBNdDnm]|[ac][nNeElLdDrtiIsh]|g[dDnNeEs]|x?[0-9a-fA-F]{2}"
    r"|C(?:auto|red|green|blue|reset|\([^()%]*\))|w\([^()%]*\)|[<>][<>|]*\([^()%]*\)"
    rf"|\(\*?(?:{'|'.join(_ATOMS.split())})(?:[:=,](?:[^()%]|%x[0-9a-fA-F]{{2}})*)?\)))*"
)

# Harmless for every command when the whole value fits. No part of a format holds a `%` that git
# would read by itself where it does not understand the part.
_VALUES: dict[str, str] = {
    "core.fsmonitor core.usebuiltinfsmonitor": _ON_OR_OFF,
    "core.pager": f"|{_PAGER}",
    "pager.*": rf"{_ON_OR_OFF}|{_PAGER}",
    "log.showsignature remote.*.promisor status.submodulesummary core.splitindex": _OFF,
    "submodule.recurse grep.fallbacktonoindex merge.renormalize": _OFF,
    "help.autocorrect": rf"{_OFF}|never|prompt|show",
    "format.pretty pretty.*": _FORMAT,
    "filter.lfs.clean filter.lfs.smudge filter.lfs.process": (
        r"|git-lfs (?:clean|smudge|filter-process)(?: --skip)?(?: -- %f)?"
    ),
    "filter.*.clean filter.*.smudge filter.*.process diff.external": "",
    "diff.submodule": "short|log",
    "core.excludesfile": r"|[^\0]*(?:ignore|exclude)[\w.-]*",
    "core.attributesfile": r"|[^\0]*attributes[\w.-]*",
    "mailmap.file": r"|[^\0]*mailmap[\w.-]*",
    "blame.ignorerevsfile": r"|[^\0]*ignore[-_]?revs?[\w.-]*",
}

_SECRET_NAME = re.compile(r"token|passw|^(?:smtp|db)?pass$|secret|extraheader|oauth|api-?key", re.I)
_SECRET_ADDRESS = re.compile(r"://(?:[^/\s@]*:[^/\s@]+|[^/\s@]{20,})@|[?&;][\w-]*(?:token|key)=")


def _matching(keys: str) -> str:
    return "|".join(re.escape(key).replace(r"\*", ".*") for key in keys.split())


_ROWS = tuple((family, re.compile(_matching(keys), re.S)) for family, keys in _KEYS.items())


@lru_cache(maxsize=4_096)
def _listed(key: str, families: Family) -> bool:
    """Whether a key is harmless, whatever its value, for a command of these families."""
    return any(not family & families and keys.fullmatch(key) for family, keys in _ROWS)


_CHANGES = re.compile(_matching(_FOR_CHANGES), re.S)
_BY_VALUE = tuple(
    (re.compile(_matching(keys), re.S), re.compile(value)) for keys, value in _VALUES.items()
)


def plain_format(text: str) -> bool:
    """Whether a format asks for nothing but what is known to be read: `%G?` would run gpg."""
    return re.fullmatch(_FORMAT, text) is not None


def harmless(setting: Setting, families: Family) -> bool:
    if Family.PRINTS in families and secret(setting):
        return False
    return _listed(setting.key, families) or any(
        keys.fullmatch(setting.key) and value.fullmatch(setting.value) for keys, value in _BY_VALUE
    )


def harmless_for_changes(setting: Setting) -> bool:
    return _CHANGES.fullmatch(setting.key) is not None


def secret(setting: Setting) -> bool:
    """Whether printing the setting would print a credential."""
    named = _SECRET_NAME.search(setting.name) is not None
    return named or _SECRET_ADDRESS.search(f"{setting.subsection} {setting.value}") is not None
