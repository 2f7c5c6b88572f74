"""From what a host tells to what a classifier may know: words of the user, calls, facts."""

# ruff: noqa: RUF001 - words of many languages
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from automode.classifier.events import (
    AgentParagraph,
    Event,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.classifier.machine_turns import person_words
from automode.classifier.memory import AgentText, Memory, Told
from automode.core.transcript import Outcome, PriorCall, Transcript, UserMessage

__all__ = ["AgentText", "AgentWords", "Recorder", "Told", "transcript_of", "transcript_of_row"]

REFERENT_CHARACTERS = 600
MOST_RUNNING = 256


class AgentWords(StrEnum):
    """How much of what the agent says a classifier may read (`transcript.assistantText`)."""

    NONE = "none"
    REFERENT = "referent"
    VISIBLE = "visible"


@dataclass(slots=True)
class Recorder:
    """Hears a session's events in order. `told` may hold the agent's prose, `transcript` never.
    However long the session is, what is remembered of it is not: see `classifier.memory`."""

    agent_words: AgentWords = AgentWords.REFERENT
    _memory: Memory = field(default_factory=Memory)
    _running: dict[str, int] = field(default_factory=dict)  # the host's call id → its number
    _said: str = ""  # the agent's last paragraph, while nothing has happened since
    _referring: int | None = None  # number of the message whose referent still holds
    _transcript: Transcript | None = None  # until something is heard

    def hear(self, event: Event) -> None:
        self._transcript = None
        match event:
            case ToolProposed():
                self._said = ""
                self._proposed(event)
            case ToolFinished():
                self._finished(event)
            case UserPrompt():
                self._prompt(event)
            case AgentParagraph():
                self._paragraph(event.text)
            case HostQuestionAnswered():
                self._answer(event)
            case FactNoted():
                self._memory.add(event.fact)

    @property
    def transcript(self) -> Transcript:
        if self._transcript is None:
            self._transcript = Transcript(self._memory.without_prose())
        return self._transcript

    @property
    def told(self) -> tuple[Told, ...]:
        return tuple(self._memory.entries)

    def running(self, call_id: str) -> bool:
        """Whether a call was proposed under this id and has not finished."""
        return call_id in self._running

    def _proposed(self, event: ToolProposed) -> None:
        self._running.pop(event.id, None)
        self._running[event.id] = self._memory.add(PriorCall(event.tool, event.input))
        while len(self._running) > MOST_RUNNING:  # the host does not say when calls finish
            del self._running[next(iter(self._running))]

    def _prompt(self, event: UserPrompt) -> None:
        words = person_words(event.text) if event.origin is Origin.PERSON else ""
        if not words:
            return  # a machine's turn: neither the user's words nor the end of a referent
        self._void_referent()
        answers = bool(self._said) and bare_affirmation(words)
        number = self._memory.add(UserMessage(words, self._said if answers else ""))
        self._referring = number if answers else None
        self._said = ""

    def _void_referent(self) -> None:
        """One "yes" answers one proposal; after the user's next words it stands for nothing."""
        if self._referring is not None:
            message = self._memory.get(self._referring)
            if isinstance(message, UserMessage):
                self._memory.change(self._referring, replace(message, referent=""))
            self._referring = None

    def _paragraph(self, text: str) -> None:
        if self.agent_words is AgentWords.VISIBLE and text.strip():
            self._memory.add(AgentText(text.strip()))
        self._said = last_paragraph(text) if self.agent_words is AgentWords.REFERENT else ""

    def _finished(self, event: ToolFinished) -> None:
        number = self._running.pop(event.id, None)
        call = None if number is None else self._memory.get(number)
        if number is not None and isinstance(call, PriorCall):
            self._memory.change(number, replace(call, outcome=event.outcome))

    def _answer(self, event: HostQuestionAnswered) -> None:
        """The question was on the user's screen, so it is kept in every mode, and for good."""
        if event.own_tool and event.answer.strip():
            self._void_referent()
            self._said = ""
            question = _ending(event.question.strip())
            self._memory.add(UserMessage(event.answer.strip(), question))


def transcript_of(events: Iterable[Event], agent_words: AgentWords) -> Transcript:
    recorder = Recorder(agent_words)
    for event in events:
        recorder.hear(event)
    return recorder.transcript


def transcript_of_row(
    messages: Sequence[Mapping[str, object]], prior_calls: Sequence[Mapping[str, object]]
) -> Transcript:
    """The transcript of one row of a batch: `messages` with `role` and `content`, and the calls
    before this one with `tool`, `input` and maybe `outcome`. A row does not say how the two
    interleave; calls are put last, where the newest belong."""
    events: list[Event] = [event for message in messages for event in _spoken(message)]
    calls = [_prior(row) for row in prior_calls]
    entries = transcript_of(events, AgentWords.REFERENT).entries
    return Transcript((*entries, *(call for call in calls if call is not None)))


def last_paragraph(text: str) -> str:
    """The last paragraph, or its end where it is long: the question stands there."""
    paragraphs = text.replace("\r\n", "\n").strip().rsplit("\n\n", 1)
    return _ending(paragraphs[-1].strip())


def _ending(text: str) -> str:
    if len(text) <= REFERENT_CHARACTERS:
        return text
    return "…" + text[-(REFERENT_CHARACTERS - 1) :]


def _spoken(message: Mapping[str, object]) -> tuple[Event, ...]:
    text = _content(message.get("content"))
    match message.get("role"):
        case "user":
            return (UserPrompt(text),)
        case "assistant":
            return (AgentParagraph(text),)
        case _:
            return ()


def _content(content: object) -> str:
    """Plain text, or the text parts of a list of parts; tool results are no text of anybody."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _prior(row: Mapping[str, object]) -> PriorCall | None:
    tool, given, outcome = row.get("tool"), row.get("input"), row.get("outcome")
    if not isinstance(tool, str):
        return None
    known = next((one for one in Outcome if one.value == outcome), None)
    return PriorCall(tool, given if isinstance(given, Mapping) else {"input": given}, known)


LONGEST_AFFIRMATION = 60  # characters; longer messages say something of their own

_YES = (
    # English
    "yes|yep|yeah|yup|y|ok|okay|okey|k|sure|fine|agreed|approved|confirmed|correct|right|lgtm|"
    "go|go ahead|go for it|go on|do it|do that|do so|make it so|proceed|continue|carry on|"
    "sounds good|looks good|that works|works for me|let's do it|lets do it|let's go|"
    "of course|absolutely|definitely|exactly|perfect|great|please do|ship it|all good|+1|"
    # German, Dutch, Nordic
    "ja|jo|jap|jawohl|klar|gerne|passt|genau|einverstanden|in ordnung|mach das|mach es|mach mal|"
    "leg los|weiter|nur zu|doe maar|prima|akkoord|jatka|kyllä|joo|kör|gör det|gjør det|"
    # Romance languages
    "oui|d'accord|vas-y|allez-y|vas y|bien sûr|c'est bon|fais-le|parfait|sí|si|claro|vale|dale|"
    "adelante|hazlo|de acuerdo|perfecto|sim|pode|pode ir|pode fazer|faça|certo|va bene|procedi|"
    "fallo|certo|d'acordo|da|sigur|"
    # Slavic and other European languages
    "да|ага|давай|хорошо|ладно|конечно|продолжай|сделай|так|добре|tak|dobrze|jasne|ano|jo|"
    "dobře|evet|tamam|olur|devam|ναι|εντάξει|igen|rendben|"
    # Asian languages and Arabic
    "好|好的|好吧|可以|是|是的|行|对|同意|继续|没问题|嗯|はい|ええ|うん|お願いします|お願い|"
    "いいよ|いいです|了解|進めて|どうぞ|네|예|응|좋아|좋아요|그래|진행해|진행해줘|हाँ|हां|ठीक है|"
    "نعم|أجل|حسنا|تمام|موافق|có|được|vâng|ya|oke|lanjut|"
    # signs
    "👍|👌|✅|✔|🆗|🙏|💯|🚀"
)
_POLITE = "please|pls|thanks|thank you|thx|bitte|danke|merci|s'il te plaît|por favor|gracias|now"
_FILLERS = _POLITE + "|obrigado|grazie|спасибо|пожалуйста|then|and|do|that|it|this"

_ORNAMENT = re.compile("[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")  # joiners, skin tones
_SEPARATORS = re.compile(r"[\s,.;:!…~*_`\"“”„()\-—–、。！，]+")


def _normal(text: str) -> str:
    plain = _ORNAMENT.sub("", unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")
    return _SEPARATORS.sub(" ", plain).strip()


def _alternatives(table: str) -> str:
    phrases = {_normal(phrase) for phrase in table.split("|")}
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


# A phrase ends at a blank, or anywhere in scripts that write no blanks.
_END = r"(?:\s+|$|(?<=[^\x00-\u04ff]))"
_ASSENT = re.compile(rf"(?:^|\s|(?<=[^\x00-\u04ff]))(?:{_alternatives(_YES)}){_END}")
_NOTHING_ELSE = re.compile(rf"(?:(?:{_alternatives(_YES + '|' + _FILLERS)}){_END})+")


def bare_affirmation(text: str) -> bool:
    """True for "yes", "ok, go ahead", "好的", "👍"; False for anything that adds words of its own,
    and for a question, which is no consent."""
    if len(text) > LONGEST_AFFIRMATION or "?" in text or "？" in text:
        return False
    normal = _normal(text)
    return bool(_NOTHING_ELSE.fullmatch(normal) and _ASSENT.search(normal))
