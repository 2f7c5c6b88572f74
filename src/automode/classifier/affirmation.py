"""Whether a message says nothing but yes: it then means what it answers, and nothing else."""

# ruff: noqa: RUF001 - words of many languages

import re
import unicodedata

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
