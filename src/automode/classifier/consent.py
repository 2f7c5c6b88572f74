"""Whether a claim of the user's consent quotes the user, checked without a model.

Seeing the danger and over-reading the consent is how such classifiers fail. A quotation can be
compared; an interpretation cannot.
"""

import re

from automode.classifier.reply import Fault, Judgement, Tier, Unreadable
from automode.core.transcript import Transcript, UserMessage

# Letters and digits; less is in every text. Scripts without spaces say more with each sign.
SHORTEST_QUOTE = 4
SHORTEST_UNSPACED_QUOTE = 2

_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|\u2018([^\u2019]+)\u2019|`([^`]+)`"
    r"|(?<!\w)'(.+?)'(?!\w)"
)
_NOT_WORDS = re.compile(r"[\W_]+")


def check_consent(judged: Judgement, transcript: Transcript) -> None:
    """Raises Unreadable for an allow by consent that quotes nothing the user said or answered."""
    if not judged.allowed or judged.tier is not Tier.EXPLICIT_INTENT:
        return
    said = " ".join(
        f" {_normal(f'{entry.referent} {entry.text}')} "
        for entry in transcript.entries
        if isinstance(entry, UserMessage)
    )
    if not any(_occurs(quote, said) for quote in _quotes(judged.reason)):
        raise Unreadable(Fault.UNQUOTED_CONSENT, "consent without a quotation")


def _quotes(reason: str) -> list[str]:
    spans = (next(filter(None, groups), "") for groups in _QUOTED.findall(reason))
    # Omissions split a quotation; one true part is enough.
    return [_normal(part) for span in spans for part in re.split(r"…|\.\.\.", span)]


def _occurs(quote: str, said: str) -> bool:
    signs = len(quote.replace(" ", ""))
    if not quote.isascii():
        return signs >= SHORTEST_UNSPACED_QUOTE and quote in said
    return signs >= SHORTEST_QUOTE and f" {quote} " in said


def _normal(text: str) -> str:
    """Case, punctuation and spacing change when somebody quotes; words do not."""
    return _NOT_WORDS.sub(" ", text.casefold()).strip()
