"""German: what tells a question about an event from one about standing knowledge.

The tense of a German question stands in two places: the auxiliary second, the participle last. A cue of the
perfect therefore looks from the auxiliary to the end of the clause.
"""

from __future__ import annotations

import re

from memoryd.router.cues import Cue, Lexicon, any_of, whole, words

_NO_PARTICIPLE = (
    r"(?!(?:gegen|gesamt(?:en)?|gemeinsamen|gebieten|gesetzen|geräten|gewissen|bestimmten|gelegen|gerichten|gruppen|"
    r"verfahren|verhalten|unternehmen|bereichen|berichten|befehlen|gern|genau|vergleichen|verbinden|verwenden|"
    r"verwalten|"
    r"erstellen|beachten|bekommen|erhalten|entfernen|behalten|benutzen|verstehen|erreichen|benennen|vermeiden)(?!\w))"
    r"(?!\w+(?:ungen|ionen|keiten|heiten|schaften)(?!\w))"
)
PARTICIPLE = (
    rf"{_NO_PARTICIPLE}(?:\w*ge\w{{2,}}(?:t|en|an)|(?:be|ver|er|ent|zer|emp|miss|über|unter|wieder|wider|ab|an|auf|"
    rf"aus|ein|um)"
    r"\w{2,}(?:t|en)|\w+iert|getan|beibehalten|erhalten|bekommen|verstanden)"
)
_END = (
    r"(?=\s*(?:[?.!,;:)]|$|und\b|oder\b|aber\b|haben\b|hat\b|habe\b|worden\b|werden\b|sind\b|ist\b|seit\b|mit\b|"
    r"bei\b|in\b|von\b|für\b|an\b))"
)
HAVE = "(?:habe?|hast|hat|haben|habt|hatte|hattest|hatten|hattet)"
MOVED = any_of(
    "passiert geschehen entstanden geworden gewesen gelaufen gegangen gekommen geblieben gefahren geflogen gereist "
    "abgestürzt ausgefallen umgestiegen gewechselt umgezogen gewandert migriert gelandet gestartet gestorben geplatzt "
    "aufgetreten aufgetaucht verschwunden gescheitert fehlgeschlagen eingefallen vorgefallen gewachsen gesprungen "
    "weitergegangen schiefgegangen schiefgelaufen losgegangen durchgelaufen rausgekommen herausgekommen "
    "verlorengegangen "
    "umgeschwenkt abgekommen übergegangen zurückgekehrt eingestiegen ausgestiegen dazugekommen angekommen"
)
PRETERITE = any_of(
    "war warst waren wart wurde wurdest wurden hatte hatten hattest kam kamen ging gingen gab gaben lief liefen fand "
    "fanden nahm nahmen schrieb schrieben sagte sagten machte machten brach brachen entschied entschieden wählte "
    "wählten "
    "änderte änderten sprach sprachen besprach besprachen dachte dachten brachte brachten passierte passierten geschah "
    "geschahen stürzte stürzten fiel fielen stieg stiegen führte führten löste lösten baute bauten testete testeten "
    "versuchte versuchten lernte lernten zog zogen verlor verloren begann begannen trat traten dauerte dauerten zeigte "
    "zeigten ergab ergaben blieb blieben erhielt erhielten empfahl empfahlen traf trafen kaufte kauften fuhr fuhren "
    "flog "
    "flogen schickte schickten erzählte erzählten meldete meldeten verursachte verursachten behob behoben schlug "
    "schlugen "
    "ersetzte ersetzten entfernte entfernten startete starteten wollte wollten musste mussten konnte konnten fehlte "
    "fehlten scheiterte scheiterten stand standen rief riefen verließ besuchte besuchten bekam bekamen arbeitete "
    "arbeiteten meinte meinten wechselte wechselten"
)
WHY = any_of("warum wieso weshalb weswegen wozu aus_welchem_grund")
FAILED = any_of(
    "abgestürzt ausgefallen fehlgeschlagen gescheitert passiert abgebrochen gedauert geplatzt gehangen gekracht "
    "verloren "
    "stehengeblieben schiefgegangen"
)

TENSE = (
    Cue(whole(rf"{HAVE}(?=\s.*(?<!\w){PARTICIPLE}{_END})"), "perfect: something done", episodic=2.5, group="tense"),
    Cue(
        whole(rf"(?:bin|bist|ist|sind|seid)(?=\s.*(?<!\w)(?:{MOVED}|\w+\s+worden|worden)(?!\w))"),
        "perfect: something that happened",
        episodic=2.5,
        group="tense",
    ),
    Cue(
        whole(
            rf"(?:{MOVED}\s+(?:ist|sind|bin|bist)|{PARTICIPLE}\s+(?:hat|haben|habe|hast|worden ist|worden sind|wurde|"
            rf"wurden))(?=\s*(?:[?.!,]|$))"
        ),
        "perfect at the end of a clause",
        episodic=2.5,
        group="tense",
    ),
    Cue(whole(PRETERITE), "past tense", episodic=2.25, group="tense"),
    Cue(
        whole(
            "ist|sind|bin|bist|seid|kann|können|könnte|könnten|soll|sollen|sollte|sollten|sollst|muss|müssen|müsste|"
            "darf|"
            "dürfen|dürfte|will|wollen|möchte|wird|werden|hat|habe|haben|hast|gibt|gilt|gelten|heißt|bedeutet|macht|"
            "machen|"
            "läuft|liegt|liegen|steht|stehen|geht|funktioniert|verwenden|verwendet|nutzen|nutzt|benutzt|benutzen|"
            "braucht|"
            "brauchen|tut|tun|hängt|hängen|gehört|passt|verbindet|lautet|lauten|unterstützt|unterstützen"
        ),
        "present tense",
        semantic=2.0,
        group="tense",
    ),
    Cue(
        re.compile(
            rf"^(?:(?:und|in|auf|bei|mit|von|für|an|zu|nach|aus|über)\s+)?(?:was|welche[rsmn]?|wer|wen|wem|wessen|wo|"
            rf"wohin|woher|"
            rf"wann|wie|womit|wofür|woran|worauf|worin|wodurch|wovon|{WHY})(?!\w)"
        ),
        "a question without a past tense",
        semantic=1.25,
        group="tense-none",
    ),
    Cue(
        re.compile(
            r"^(?!hat|habe|war|wurde|ist|sind|bin)\w{2,}(?:t|en|e|st)\s+(?:man|wir|ich|du|er|sie|es|der|die|das|den|"
            r"ein|eine|"
            r"unser|unsere|[a-z]\w+)(?!\w).*\?$"
        ),
        "a yes-no question without a past tense",
        semantic=1.0,
        group="tense-none",
    ),
)
FORM = (
    Cue(
        whole("wann (?:hat|habe|haben|hast|war|waren|wurde|wurden|ist|sind)(?=.*(?:ge|iert|t|en|war|worden)\\s*\\??$)"),
        "asks for a date in the past",
        episodic=0.75,
        group="form",
    ),
    Cue(
        whole("wann (?:war|waren|wurde|wurden|hatte|hatten)"), "asks for a date in the past", episodic=1.0, group="form"
    ),
    Cue(
        whole("wann (?:soll|sollen|sollte|sollten|muss|müssen|darf|kann|können|wird|werden|läuft|braucht|gilt)"),
        "asks when something applies",
        semantic=1.5,
        group="form",
    ),
    Cue(
        whole("wie (?:viele male|lange her|lange ist es her)|wie lange (?:hat|haben|dauerte)"),
        "measures events",
        episodic=1.0,
        group="form",
    ),
    Cue(
        whole("wie (?:kann|können|soll|sollen|muss|geht|funktioniert|macht|mache)"),
        "asks how something is done",
        semantic=1.0,
        group="form",
    ),
    Cue(
        whole(rf"{WHY} (?:ist|sind|kann|soll|muss|darf|wird|werden|nicht|kein|keine)"),
        "asks for the reason of a present state",
        semantic=0.75,
        group="form",
    ),
    Cue(whole("aufgehört|stehen ?geblieben|weitermachen|weiter ?gemacht"), "picks up earlier work", episodic=1.5),
)
TIME = (
    Cue(
        whole("(?:beim |das )?(?:letzten?|letztes|vorige[sn]?|erste[sn]?|vergangene[sn]?) mal"),
        "one occasion among several",
        episodic=1.75,
    ),
    Cue(
        whole(
            r"(?:letzte[nrms]?|vorige[nrms]?|jüngste[nrms]?|neueste[nrms]?|vergangene[nrms]?) (?:\w+ )?(?:sitzung|"
            r"session|besprechung|treffen|"
            r"gespräch|unterhaltung|lauf|deploy|deployment|release|änderung|migration|ausfall|commit|versuch|reise|"
            r"entscheidung|arbeit|eintr[aä]g|meeting|update)(?:en|s|e|er)?"
        ),
        "a past occasion",
        episodic=1.75,
    ),
    Cue(
        whole(
            "zuletzt|neulich|kürzlich|vorhin|letztens|damals|früher|bisher|vorher|vor kurzem|bis jetzt|in letzter "
            "zeit|seinerzeit|"
            "ursprünglich|zuvor"
        ),
        "an adverb of the past",
        episodic=1.5,
    ),
    Cue(whole("bereits|schon(?: ein)?mal|schon|jemals|je"), "asks whether it happened", episodic=0.75),
    Cue(
        whole(
            "immer|normalerweise|üblicherweise|gewöhnlich|derzeit|aktuell|momentan|jetzt|jedes mal|jede[nrs]?|"
            "grundsätzlich|"
            "standardmäßig|generell|noch|zurzeit|heutzutage"
        ),
        "an adverb of the present or of habit",
        semantic=1.0,
    ),
)
NOUNS = (
    Cue(
        whole(
            "sitzung(?:en)?|besprechung(?:en)?|treffen|gespräche?|unterhaltung(?:en)?|ausfälle?|vorfälle?|vorfall|"
            "commits?|einträge"
        ),
        "a word for events",
        episodic=0.9,
    ),
    Cue(whole("entscheidung(?:en)?"), "a word for events", episodic=0.5),
    Cue(
        whole(
            "konvention(?:en)?|regeln?|richtlinien?|vorgaben?|grundsätze?|vorlieben?|definition|unterschied|"
            "bedeutung|zweck|architektur|"
            "checkliste|zuständig|verantwortlich|erlaubt|standard|lieblings\\w+|empfohlen\\w*|grenze|limit"
        ),
        "a word for standing knowledge",
        semantic=0.9,
        group="noun",
    ),
    Cue(
        re.compile(r"^(?:erkläre?|beschreibe?|definiere|vergleiche?|erläutere)(?!\w)"),
        "asks for an explanation",
        semantic=2.0,
    ),
    Cue(re.compile(r"^(?:fasse?)(?!\w).*zusammen"), "asks for an account", episodic=0.75),
)
BOTH = (
    Cue(
        whole(
            rf"{WHY} (?:{HAVE}|bin|sind|ist) (?:wir|ihr|ich|du|sie|das team|man)(?=\s.*(?<!\w)(?:{PARTICIPLE}|{MOVED}))"
            rf"(?!.*(?<!\w){FAILED}(?!\w))"
        ),
        "a past choice of people and its reason",
        both=True,
    ),
    Cue(
        whole(
            rf"{WHY} (?:wurde|wurden|war|waren|haben|hat)(?=\s.*(?<!\w)(?:ersetzt|gewählt|entschieden|geändert|"
            rf"entfernt|"
            r"gewechselt|umgestellt|eingeführt|abgeschafft|aufgegeben|verworfen|umbenannt|aufgeteilt|gestrichen|"
            r"abgelöst|"
            r"getrennt|ausgewählt|geschrieben|erstellt|gelöscht|verschoben|migriert)(?!\w))"
        ),
        "a past act and its reason",
        both=True,
    ),
    Cue(
        whole(
            r"wie (?:ist|sind|wurde|wurden|kam|konnte)(?: \S+){1,6} (?:so |zu dem |dazu )?(?:geworden|entstanden|"
            r"gekommen|zustande|gelandet)"
        ),
        "how something came to be as it is",
        both=True,
    ),
    Cue(
        whole(
            "wie kam es|wie es dazu|wie ist es dazu|wie kommt es, dass|wie kam(?:en)? (?:wir|ihr|sie|\\w+) (?:dazu|zu)"
        ),
        "how something came to be as it is",
        both=True,
    ),
    Cue(
        whole(
            "(?:entstehungs)?geschichte (?:von|des|der|hinter|dieses|dieser|unseres|unserer)|werdegang|entstehung|"
            "hintergr(?:und|ünde) (?:von|des|der|für|hinter)|vorgeschichte|hat sich .* entwickelt"
        ),
        "the story of something",
        both=True,
    ),
    Cue(
        whole(
            r"(?:grund|gründe|begründung|motivation|überlegung(?:en)?) (?:für|hinter|warum|zu|zum|zur) (?:\S+ ){0,4}?"
            r"(?:wechsel|umstieg|änderung|entscheidung|wahl|umzug|migration|abschaffung|einführung|ablösung|entfernung)"
        ),
        "a change and its reason",
        both=True,
    ),
    Cue(
        whole(rf"was hat (?:uns|euch|dich|mich) .*(?:bewogen|gebracht|überzeugt|veranlasst)|{WHY} .*nicht mehr"),
        "what led people to a choice",
        both=True,
    ),
    Cue(
        whole("seit wann|wann und (?:warum|wieso|weshalb)|(?:warum|wieso) und wann"),
        "a date and a standing fact",
        both=True,
    ),
    Cue(whole("alles (?:über|zu)|stand (?:von|der|des)"), "asks for all that is known", both=True),
)

_STARTS = (
    rf"(?:auch |dann |in |auf |bei |mit |seit )?(?:was|welche[rsmn]?|wer|wen|wem|wo|wann|wie|woran|wofür|womit|{WHY}|"
    rf"hat|haben|habe|hatte[n]?|"
    r"ist|sind|war|waren|wurde|wurden|kann|können|soll|sollen|sollten|muss|müssen|gibt)(?!\w)"
)

GERMAN = Lexicon(
    code="de",
    name="German",
    function_words=words(
        "der die das den dem des ein eine einen einem einer und oder ist sind war waren haben hat habe hatte wir ich "
        "du sie "
        "es ihr uns mir mich was wer wie wo wann warum wieso welche welcher welches welchen nicht mit von für auf im "
        "am zu "
        "zum zur bei nach über aus seit vor werden wird wurde kann soll sollte man mal schon beim unser unsere "
        "unseren gibt "
        "gestern heute letzte letzten zeig zeige bedeutet heißt macht machen geht funktioniert brauchen nutzen nutzt "
        "verwenden "
        "liegt liegen läuft muss müssen darf dürfen unserer unserem diese dieser dieses dem bin bist ins vom"
    ),
    marks=frozenset("äöüß"),
    cues=(*TENSE, *FORM, *TIME, *NOUNS, *BOTH),
    opening=re.compile(
        r"^(?:(?:bitte|hallo|also|und|ok|sag mal|kurze frage)[,:]?\s+)*"
        r"(?:(?:kannst|könntest|würdest) du (?:mir |uns )?(?:bitte )?(?:sagen|zeigen|erklären)[,:]?\s+|"
        r"(?:sag|sage|zeig|zeige|erzähl|erzähle)(?:e)? (?:mir|uns)(?: bitte)?(?: mal)?[,:]?\s+|"
        r"(?:weißt|erinnerst) du (?:dich )?(?:noch )?(?:daran)?[,:]?\s+|erinnere? mich (?:daran)?[,:]?\s+|"
        r"ich (?:möchte|will|wüsste gern)(?: wissen)?[,:]?\s+)?"
    ),
    joint=re.compile(
        rf"(?:\s*[,;]\s*|\s+)(?:und|aber|oder|sowie)\s+(?={_STARTS}\s)|[?;.!]+\s+(?={_STARTS}\s)|,\s+(?={_STARTS}\s)"
    ),
    asking=re.compile(
        r"(?<!\w)(?:was|welche[rsmn]?|wer|wen|wem|wessen|wo|wohin|woher|wann|wie|wieso|warum|weshalb|weswegen|"
        r"wo(?:r)?(?:mit|für|an|auf|in|durch|"
        r"von)|hat|haben|habe|ist|sind|war|waren|wurde|kann|können|soll|sollen|muss|gibt|zeig|zeige|erklär|"
        r"erkläre)(?!\w)"
    ),
    tail=re.compile(
        r",?\s*(?:und|oder|aber)\s+(?:(?P<why>warum(?: nicht)?|wieso|weshalb)|(?P<since>seit wann)|(?P<other>wann|wo|"
        r"wie|wer|von wem))\s*[?.!]*$"
    ),
    back=whole(
        "es|er|sie|ihn|ihm|ihr|ihre[rnms]?|dessen|deren|da(?:mit|für|von|ran|rauf|rin|durch|gegen|zu|bei)|"
        "dies(?:e[rsmn]?)?|dort|dann|zuletzt|letztes mal|das letzte mal|wieder"
    ),
    decision=whole("entscheid\\w*|entschied\\w*|entschloss\\w*|beschloss\\w*|beschluss|wahl|gewählt|geeinigt|einigten"),
    hollow=words(
        "aber alle alles also am an auch auf aus bei beim bis bitte da das dem den denn der des die dies diese "
        "diesem diesen "
        "dieser du durch eigentlich ein eine einem einen einer eintrag einträge entscheidung entscheidungen "
        "entschieden erledigt erreicht er es "
        "etwas für gab "
        "gearbeitet gelernt gemacht gelaufen genau gesamt gesamte gesamten geschah geschehen gesprochen besprochen "
        "getan ganze ganzen habe haben hast hat hatte hatten "
        "ich ihr im in ist journal lief los machte machten mal man mein meine meinen mich mir mit nach noch oder "
        "passiert passierte schon sich sie sind sitzung sitzungen so tag tage tat taten tagebuch uns unser unsere "
        "und von "
        "vom vor war waren was wann welche wer wie wir wo woran worüber wurde wurden zeig zeige zu zum zur zusammen "
        "fass fasse "
        "zusammenfassung erzähl beschlossen diskutiert abend abends morgens morgen vormittag nachmittag mittag nacht "
        "dran"
    ),
)
