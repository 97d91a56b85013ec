"""English verbs by form: what a past tense, a participle and a choice look like."""

from __future__ import annotations

from memoryd.router.cues import any_of

PERSON = any_of("i we you they he she it one anyone anybody somebody someone everyone")
IRREGULAR_PAST = any_of(
    "became began bent bit blew broke brought built bought caught chose came dealt drew drove ate fell felt fought "
    "found flew forgot froze got gave went grew had heard hid held kept knew laid led left lent lost made met paid "
    "ran rang rose said saw sought sold sent shot slid spoke spent stood stole struck swam taught tore told took "
    "thought threw understood went woke won wore wrote rewrote rebuilt redid undid overrode overwrote withdrew sang "
    "slept swore drank sank shook hung dug agreed"
)
REGULAR_PAST = (
    r"(?!(?:hundred|embed|shed|shred|sacred|naked|unused|unneeded|infrared)\b)[a-z]{2,}[^\We]ed"
    # "Which shared rules do we have": before a noun with a finite verb behind it, the word is no verb.
    r"(?!\s+(?:(?!(?:that|which|who|when|where|while|since|after|before|because|if|and|but|so|what|"
    r"how)\b)[\w'.-]+\s+)*?"
    r"(?:is|are|do|does|did|was|were|can|should|has|have|will|must)\b)"
)
PAST = f"(?:{IRREGULAR_PAST}|{REGULAR_PAST})"
PARTICIPLE = (
    "(?:"
    + any_of(
        "been gone done seen made had said taken given written chosen found broken built bought brought begun become "
        "come run told thought felt kept left lost met paid put read sent set shown spent spoken stood stolen taught "
        "thrown understood won worn grown known driven drawn eaten fallen flown forgotten frozen got gotten heard held "
        "hidden hit led let cut split shut rewritten rebuilt redone undone agreed hung caught dealt"
    )
    + r"|[a-z]{2,}[^\We]ed)"
)
ADVERBS = r"(?:\s+(?:also|ever|just|never|only|already|recently|finally|originally|last|once|then|even|actually))*"
CHOICE = any_of(
    "abandon adopt change choose convert create decide deprecate ditch drop end_up fork give_up go_with introduce "
    "kill keep leave merge migrate move opt pick prefer pull quit redesign reject remove rename replace retire revert "
    "rewrite roll_back settle split start stop swap switch throw_out turn_away turn_down use"
)
CHOSEN = any_of(
    "abandoned adopted changed chosen converted created decided deprecated ditched dropped ended_up forked given_up "
    "gone_with introduced killed left merged migrated moved opted picked redesigned rejected removed renamed replaced "
    "retired reverted rewritten rolled_back settled split started stopped swapped switched"
)
FAILURE = any_of("break crash die fail freeze go_down hang happen lose miss panic regress stall take time_out")
