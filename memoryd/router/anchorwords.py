"""The words by which six languages bound a span of time by an event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class AnchorWords:
    """Alternatives, as regular expressions.

    Attributes:
        since: Words for "since"; ``after`` and ``before`` likewise.
        since_is_time: Whether "since" is said of time alone, so that any noun may follow.
        articles: Articles and pronouns in front of an event, which are no part of its name.
        stops: Words that end the name of an event, and with which none begins.
        events: Words for events.
        leads: What may stand in front where words are not set apart by spaces.
    """

    since: str
    after: str
    before: str
    events: str
    articles: str = ""
    stops: str = ""
    leads: str = ""
    since_is_time: bool = False
    spaced: bool = True


_ENGLISH = AnchorWords(
    since="(?:ever )?since",
    after="after",
    before="before|until|up to|prior to",
    since_is_time=True,
    articles=r"the(?: (?:last|latest|big|first))?|our(?: last)?|my(?: last)?|that|this|last",
    stops="a|an|i|we|you|he|she|it|they|there|when|then|what|how|why|who|which|that|now|in|on|for|with|about|at|and|or|"
    "but|did|do|does|have|has|had|is|are|was|were|been|will|would|can|could|should|people|everyone|nobody",
    events=r"releases?|launch|deploy\w*|migration|outage|incident|refactor\w*|rewrite|merge|upgrade|update|move|switch|"
    r"meeting|sprint|demo|crash|(?:hot|bug)?fix|roll-?back|workshop|conference|review|retro\w*|stand-?up|kick-?off|"
    r"freeze|vacation|holidays?|audit|cut-?over|go-?live|rename|split|import|hand-?over|redesign|change|decision",
)
_GERMAN = AnchorWords(
    since="seit",
    after="nach",
    before="vor|bis zu|bis",
    since_is_time=True,
    articles="(?:dem|der|den|unserem|unserer|meinem|meiner|diesem|dieser|zum|zur)(?: (?:letzten|großen|ersten))?",
    stops="ich|wir|du|er|sie|es|man|wann|was|wie|warum|wer|in|im|am|an|auf|für|mit|über|bei|und|oder|aber|dass|die|das|"
    "haben|habe|hat|hatten|hatte|ist|sind|war|waren|wurde|wurden|wird|kurzem|langem|jeher|je|ein|eine|einem|einer|einigen|"
    # Past participles: "was haben wir seit dem Release geändert".
    r"(?-i:\w*ge\w{2,}(?:t|en)|\w+iert|(?:ver|be|er|ent)\w+t)",
    events=r"\w*(?:releases?|veröffentlichung|launch|deploy\w*|migration|ausfall|vorfall|störung|umzug|umbau|umstellung|"
    r"wechsel|refactoring|merge|upgrade|update|meeting|besprechung|treffen|sprint|demo|absturz|fix|rollback|workshop|"
    r"konferenz|review|retro\w*|kick-?off|urlaub|ferien|audit|einführung|umbenennung|import|übergabe|entscheidung)",
)
_FRENCH = AnchorWords(
    since="depuis",
    after="après",
    before="avant|jusqu['’]à",
    articles="le|la|les|l['’]|notre|nos|cette|cet|ce|ma|mon|du|au",
    stops="je|j|nous|tu|il|elle|on|vous|ils|que|quand|dans|sur|pour|avec|et|ou|mais|est|sont|avons|ai|a|ont|qu",
    events=r"sortie|version|lancement|mise en \w+|mise à jour|déploiement|migration|panne|incident|refonte|réécriture|"
    r"fusion|passage|réunion|sprint|démo|plantage|correctif|atelier|conférence|revue|vacances|audit|livraison|"
    r"déménagement|décision|changement|release|deploy\w*|refactor\w*|merge",
)
_SPANISH = AnchorWords(
    since="desde",
    after="después (?:de|del)|tras",
    before="antes (?:de|del)|hasta",
    articles="el|la|los|las|nuestro|nuestra|esta|este|mi|del",
    stops="yo|nosotros|él|ella|que|cuando|en|para|con|y|o|pero|es|son|hemos|he|ha|han|hicimos|cambió|se",
    events=r"lanzamiento|publicación|versión|despliegue|migración|caída|incidente|refactor\w*|reescritura|fusión|"
    r"actualización|cambio|mudanza|reunión|sprint|demo|fallo|arreglo|taller|conferencia|revisión|vacaciones|auditoría|"
    r"entrega|decisión|release|deploy\w*|merge",
)
_CHINESE = AnchorWords(
    since="以来|至今",
    after="之后|以后",
    before="之前|以前",
    leads="自从|自|从|在|上次|上一次|那次|这次|最近一次",
    events="发布|上线|部署|迁移|故障|事故|宕机|重构|重写|合并|升级|更新|切换|会议|开会|演示|崩溃|修复|回滚|改版|改名|评审|审计|交接",
    spaced=False,
)
_JAPANESE = AnchorWords(
    since="以来|以降|してから|から",
    after="の?後|した後",
    before="の?前|する前|より前|まで",
    leads="前回の|この間の|最後の|最新の",
    events="リリース|公開|ローンチ|デプロイ|移行|障害|事故|リファクタリング|書き直し|マージ|アップグレード|更新|切り替え|会議|"
    "ミーティング|スプリント|デモ|クラッシュ|修正|ロールバック|ワークショップ|レビュー|監査|引っ越し|改名",
    spaced=False,
)

ANCHOR_WORDS: Mapping[str, AnchorWords] = MappingProxyType(
    {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh": _CHINESE, "ja": _JAPANESE}
)
"""By ISO 639-1 code."""
