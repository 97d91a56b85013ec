"""French: what tells a question about an event from one about standing knowledge."""

from __future__ import annotations

import re

from memoryd.router.cues import Cue, Lexicon, any_of, whole, words

SUBJECT = r"(?:-?t-)?-?(?:nous|vous|on|il|elle|ils|elles|je|j'|tu|ce)"
AVOIR = "(?:ai|as|a|avons|avez|ont|avais|avait|avions|aviez|avaient|eu)"
_ADVERBS = (
    r"(?:\s+(?:pas|déjà|jamais|bien|tous|tout|toutes|aussi|encore|récemment|finalement|vraiment|rien|plus|été|"
    r"enfin|souvent|trop))*"
)
PARTICIPLE = (
    r"(?:\w{2,}(?:é|ée|és|ées)|"
    + any_of(
        "fait faite faits faites dit dite dits écrit écrite écrits pris prise mis mise appris compris eu vu vue vus "
        "lu lue "
        "su pu voulu dû reçu perdu rendu vendu répondu attendu entendu tenu obtenu résolu décidé choisi choisie fini "
        "réussi "
        "ouvert découvert offert produit construit conduit traduit introduit réduit détruit servi bu cru connu couru "
        "vécu "
        "convenu abouti rempli établi"
    )
    + r"|(?!(?:lieu|peu|plus|tous|nous|vous|jus|bus|menu|depuis|puis|mais|jamais|toujours|crédit|profit|droit|"
    r"tout)(?!\w))"
    r"\w{3,}(?:ites?|its?|ises?|ues?|us|erte?s?|inte?s?)" + ")"
)
MOVED = any_of(
    "allée?s? venue?s? arrivée?s? partie?s? passée?s? devenue?s? tombée?s? sortie?s? entrée?s? née?s? morte?s? "
    "restée?s? "
    "montée?s? descendue?s? revenue?s? parvenue?s? retournée?s? apparue?s? survenue?s? intervenue?s? rentrée?s?"
)
WHY = r"(?:pourquoi|pour quelle(?:s)? raisons?)"
FAILED = any_of("échoué planté cassé crashé disparu manqué duré pris_autant pris_si")
CHANGED = any_of(
    "choisie?s? changée?s? passée?s? remplacée?s? abandonnée?s? adoptée?s? supprimée?s? retirée?s? renommée?s? "
    "scindée?s? "
    "migrée?s? réécrite?s? introduite?s? décidée?s? opté déplacée?s? créée?s? arrêtée?s? quittée?s?"
)

TENSE = (
    Cue(
        whole(rf"{AVOIR}(?:{SUBJECT})?{_ADVERBS}\s+{PARTICIPLE}"),
        "passé composé: something done",
        episodic=2.5,
        group="tense",
    ),
    Cue(
        whole(rf"(?:suis|es|est|sommes|êtes|sont|étais|était|étaient)(?:{SUBJECT})?{_ADVERBS}\s+{MOVED}"),
        "passé composé: something that happened",
        episodic=2.5,
        group="tense",
    ),
    Cue(
        whole(
            rf"(?:s'(?:est|était|étaient)|(?:ne )?se (?:sont|seraient)){_ADVERBS}(?:-(?:il|elle|ils|"
            rf"elles))?{_ADVERBS}\s+\w{{2,}}"
        ),
        "passé composé: something that happened",
        episodic=2.5,
        group="tense",
    ),
    Cue(
        whole(
            rf"(?:étais|était|étions|étiez|étaient|avais|avait|avions|avaient|faisais|faisait|faisions|faisaient|"
            rf"(?!mais|jamais|vrai|fait|lait|trait|souhait)\w{{3,}}(?:ais|ait|ions|"
            rf"aient)(?<!erais)(?<!erait)(?<!rions)(?<!raient)(?<!ssions)"
            rf"(?<!tions))(?:{SUBJECT})?"
        ),
        "imperfect",
        episodic=2.0,
        group="tense",
    ),
    Cue(
        whole(r"\w{2,}(?:èrent|irent|urent)|fut|furent|eut|eurent|fit|firent|dit-il|dit-elle"),
        "passé simple",
        episodic=2.0,
        group="tense",
    ),
    Cue(
        whole(
            rf"(?:(?:est|sont|suis|sommes|êtes)(?!-ce\s+qu)|a|ai|as|avons|avez|ont|doit|doivent|dois|devons|faut|"
            rf"peut|peuvent|peux|"
            rf"pouvons|faudrait|devrait|devrions|pourrait|fait|faire|font|marche|sert|utilise|utilisons|utilisent|"
            rf"appelle|dépend|"
            rf"contient|signifie|veut dire|existe|va|vont)(?:{SUBJECT})?"
        ),
        "present tense",
        semantic=1.75,
        group="tense",
    ),
    Cue(
        re.compile(rf"(?<!\w)(?:qui|que|qu'|quoi|quel(?:le)?s?|où|quand|comment|combien|{WHY}|est-ce)(?!\w)"),
        "a question without a past tense",
        semantic=1.25,
        group="tense-none",
    ),
    Cue(
        re.compile(r"(?<!\w)\w+-(?:t-)?(?:on|nous|il|elle|je|tu|vous|ils|elles)(?!\w)"),
        "a question by inversion",
        semantic=0.5,
        group="tense-none",
    ),
)
FORM = (
    Cue(
        whole("quand (?:faut|doit|dois|doivent|peut|devrait|est-ce qu'il faut)"),
        "asks when something applies",
        semantic=1.5,
        group="form",
    ),
    Cue(
        whole("comment (?:faire|puis|peut|doit|lancer|configurer|utiliser|\\w{3,}(?:er|ir|re))"),
        "asks how something is done",
        semantic=1.5,
        group="form",
    ),
    Cue(whole("combien de fois|il y a combien de temps"), "counts events", episodic=1.0, group="form"),
    Cue(
        whole(f"{WHY} (?:est|sont|ne|pas|faut|doit)"),
        "asks for the reason of a present state",
        semantic=0.75,
        group="form",
    ),
)
TIME = (
    Cue(whole("(?:la )?(?:dernière|première|autre|précédente) fois"), "one occasion among several", episodic=1.75),
    Cue(
        whole(
            r"derni(?:er|ère|ers|ères) (?:sessions?|réunions?|conversations?|discussions?|déploiements?|versions?|"
            r"changements?|"
            r"modifications?|migrations?|pannes?|commits?|essais?|voyages?|décisions?|travaux|entrées?|mise à jour)"
        ),
        "a past occasion",
        episodic=1.75,
    ),
    Cue(
        whole(
            "récemment|dernièrement|auparavant|avant(?=\\s*[?.!]*$)|précédemment|autrefois|jusqu'ici|jusqu'à présent|"
            "tout à l'heure|"
            "à l'époque|à l'origine|initialement|l'autre jour"
        ),
        "an adverb of the past",
        episodic=1.5,
    ),
    Cue(whole("déjà"), "asks whether it happened", episodic=0.75),
    Cue(
        whole(
            "toujours|normalement|d'habitude|habituellement|actuellement|en ce moment|chaque|par défaut|en général|"
            "généralement|encore"
        ),
        "an adverb of the present or of habit",
        semantic=1.0,
    ),
)
NOUNS = (
    Cue(
        whole("sessions?|réunions?|conversations?|discussions?|pannes?|incidents?|commits?|rencontres?"),
        "a word for events",
        episodic=0.9,
    ),
    Cue(whole("décisions?"), "a word for events", episodic=0.5),
    Cue(
        whole(
            "conventions?|règles?|politique|directives?|principes?|préférences?|définition|différence|signification|"
            "but|architecture|"
            "responsable|autorisée?|permis|recommandée?|préférée?s?|liste de contrôle"
        ),
        "a word for standing knowledge",
        semantic=0.9,
        group="noun",
    ),
    Cue(
        re.compile(r"^(?:explique|expliquez|décris|décrivez|définis|définissez|compare|comparez)(?!\w)"),
        "asks for an explanation",
        semantic=2.0,
    ),
    Cue(re.compile(r"^(?:résume|résumez|récapitule)(?!\w)"), "asks for an account", episodic=0.75),
)
BOTH = (
    Cue(
        whole(
            rf"{WHY} (?:est-ce qu(?:e |'))?(?:nous |on |vous |ils |elles |l'équipe |tu )?(?:n')?(?:{AVOIR}|sommes|"
            rf"êtes|est|sont|suis)"
            rf"(?:{SUBJECT})?{_ADVERBS}\s+(?:{PARTICIPLE}|{MOVED})(?<!\b{'échoué'})(?!\w)(?<!{'planté'})"
        ),
        "a past choice of people and its reason",
        both=True,
    ),
    Cue(
        whole(rf"{WHY} .*(?:a|ont|est|sont|été)(?:{SUBJECT})?{_ADVERBS}\s+{CHANGED}"),
        "a past act and its reason",
        both=True,
    ),
    Cue(
        whole(
            "comment en (?:est-on|sommes-nous|êtes-vous|est-il|sont-ils) (?:arrivé|venu)\\w*|comment .*(?:devenue?s?|"
            "en arriver? (?:là|à)|"
            "est née?|a évolué|a-t-(?:il|elle) évolué|ont évolué)"
        ),
        "how something came to be as it is",
        both=True,
    ),
    Cue(
        whole(
            "(?:l'|une |son )?(?:histoire|historique|évolution|genèse) (?:de|du|des|derrière)|(?:l')?origine (?:de|"
            "du|des)|son histoire"
        ),
        "the story of something",
        both=True,
    ),
    Cue(
        whole(
            r"(?:raisons?|motivations?|motifs?) (?:du|de|de la|des|derrière|pour) (?:\S+ ){0,4}?(?:changement|"
            r"passage|choix|décision|"
            r"migration|abandon|remplacement|suppression)"
        ),
        "a change and its reason",
        both=True,
    ),
    Cue(
        whole(rf"qu'est-ce qui (?:nous|vous|t'|l'|les) a .*|{WHY} .*ne .* plus"),
        "what led people to a choice",
        both=True,
    ),
    Cue(whole("depuis quand|quand et pourquoi|pourquoi et quand"), "a date and a standing fact", both=True),
    Cue(whole("tout (?:sur|ce qu'on sait)|où en est"), "asks for all that is known", both=True),
)

_STARTS = (
    r"(?:qu'|qui|que|quoi|quel(?:le)?s?|où|quand|comment|combien|pourquoi|est-ce|depuis quand|a-t|avons-|as-tu|avez-|"
    r"ont-|peut-|doit-|"
    r"qu'est-ce|sur quoi|à qui|de qui)"
)

FRENCH = Lexicon(
    code="fr",
    name="French",
    function_words=words(
        "le la les un une des du de et ou est sont était nous vous on je tu il elle ils elles ce cette ces que qui "
        "quoi quel "
        "quelle quels quelles où quand comment pourquoi combien dans sur pour avec par au aux en pas ne déjà avons "
        "avez ont "
        "a y a-t-il notre nos mon ma mes son sa ses hier qu d l s c j n est-ce sommes-nous avons-nous a-t-on"
    ),
    marks=frozenset("àâçèêëîïôùûœ"),
    cues=(*TENSE, *FORM, *TIME, *NOUNS, *BOTH),
    opening=re.compile(
        r"^(?:(?:s'il (?:te|vous) plaît|bonjour|salut|alors|et|ok|dis-moi)[,:]?\s+)*"
        r"(?:(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous) (?:me |nous )?(?:dire|montrer|rappeler|expliquer)\s+|"
        r"(?:montre|rappelle|raconte|dis)(?:z)?-(?:moi|nous)\s+|(?:sais-tu|te souviens-tu|savez-vous)\s+|je (?:veux|"
        r"voudrais) savoir\s+)?"
    ),
    joint=re.compile(rf"(?:\s*[,;]\s*|\s+)(?:et|mais|ou)\s+(?={_STARTS})|\s*[?;.!]+\s+(?={_STARTS})|,\s+(?={_STARTS})"),
    asking=re.compile(
        r"(?<!\w)(?:qui|que|qu'|quoi|quel(?:le)?s?|où|quand|comment|combien|pourquoi|est-ce|montre|explique|"
        r"résume)(?!\w)|-(?:t-)?(?:on|nous|"
        r"il|elle|tu|vous)(?!\w)"
    ),
    tail=re.compile(
        r",?\s*(?:et|ou|mais)\s+(?:(?P<why>pourquoi(?: pas)?)|(?P<since>depuis quand)|(?P<other>quand|où|comment|qui|"
        r"par qui))\s*[?.!]*$"
    ),
    back=re.compile(
        r"(?<![\w-])(?:ils?|elles?|cela|ça|celui|celle|ceux|eux|leurs?|lui|son|sa|ses|la dernière fois)(?!\w)|"
        r"(?<!\w)l'(?:a|ont|avons|avait)(?!\w)|-(?:le|la|les|lui)(?!\w)"
    ),
    decision=whole(r"décid\w*|décisions?|choisi\w*|choix|opt(?:é|er)|convenu"),
    hollow=words(
        "a ai as au aux avec avez avons avait c ce ces cette d dans de des du décidé décision décisions "
        "discuté appris donc elle en "
        "entre est est-ce et "
        "fait faisais faisait fais fait faisions il ils j jour journal je l la le les là lors ma mes moi mon montre "
        "montrez n ne notre nos "
        "nous on ont ou où par parlé pas passé pendant plus pour qu quand que quel quelle quelles quels qui quoi "
        "résume résumé s se "
        "séance séances session sessions sur sommes suis t tous tout toute travaillais travaillait travaillé tu un "
        "une vous y été était "
        "étions entrées entrée matin soir après-midi nuit midi s'est-il accompli terminé rien"
    ),
)
