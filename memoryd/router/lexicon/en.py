"""English: what tells a question about an event from one about standing knowledge."""

from __future__ import annotations

import re

from memoryd.router.cues import Cue, Lexicon, whole, words
from memoryd.router.lexicon.en_verbs import ADVERBS, CHOICE, CHOSEN, FAILURE, PARTICIPLE, PAST, PERSON

TENSE = (
    Cue(whole(r"how long (?:have|has)"), "asks how long something has lasted", semantic=2.0, group="tense"),
    Cue(
        whole(rf"(?:have|has|had)(?:n't)?(?:\s+(?!to\b)[\w'.-]+){{0,4}}?\s+{PARTICIPLE}"),
        "present perfect: something done up to now",
        episodic=2.25,
        group="tense",
    ),
    Cue(
        re.compile(rf"(?<=\w)'(?:ve|s){ADVERBS}\s+(?:been|gone|changed|happened|done|broken)(?!\w)"),
        "present perfect: something done up to now",
        episodic=2.25,
        group="tense",
    ),
    Cue(
        re.compile(r"(?<=what|when)'d(?=\s)|(?<=how|who)'d(?=\s)|(?<=where)'d(?=\s)"),
        "past tense",
        episodic=2.25,
        group="tense",
    ),
    Cue(whole("did(?:n't)?"), "past tense", episodic=2.5, group="tense"),
    Cue(whole("(?:was|were)(?:n't)?"), "past tense", episodic=2.25, group="tense"),
    Cue(
        whole(
            "(?:is|are|do|does|can|could|should|would|must|might|will|need)(?:n't)?|am|cannot|can't|won't|may|shall|"
            "has|have"
        ),
        "present tense",
        semantic=2.0,
        group="tense",
    ),
    Cue(
        whole(r"(?:what|who|where|when|why|how|which|it|that|there|he|she|we|they|you|i)'(?:s|re|m)"),
        "present tense",
        semantic=2.0,
        group="tense",
    ),
    Cue(
        whole(
            rf"(?:who|what|which(?:\s+(?!(?:is|are|do|does|can|should|must|will|has|"
            rf"have)\b)[\w'-]+){{1,3}}?){ADVERBS}\s+{PAST}"
        ),
        "past tense",
        episodic=2.5,
        group="tense",
    ),
    Cue(whole(PAST), "past tense", episodic=1.75, group="tense"),
    Cue(
        re.compile(
            r"(?:^|, )(?:(?:and|so|but|in|at|on|to|for|with|from|of)\s+)?(?:what|which|who|whose|where|when|why|"
            r"how)(?!\w)"
        ),
        "a question without a past tense",
        semantic=1.25,
        group="tense-none",
    ),
)
FORM = (
    Cue(whole("when (?:did|was|were|had)(?:n't)?"), "asks for a date in the past", episodic=1.5, group="form"),
    Cue(
        whole("when (?:should|do|does|is|are|can|must|would|will|to|may)(?:n't)?"),
        "asks when something applies",
        semantic=1.5,
        group="form",
    ),
    Cue(
        whole("how (?:many times|often|long) (?:did|was|were|has|have i|have we|ago|since)"),
        "counts events",
        episodic=1.0,
        group="form",
    ),
    Cue(
        whole("how long ago|how long since|how much so far"), "asks for a date in the past", episodic=2.5, group="form"
    ),
    Cue(
        whole(r"how (?:many|much|long)(?: \w+){0,4} (?:passed|elapsed|between|went by)"),
        "measures time between events",
        episodic=2.0,
        group="form",
    ),
    Cue(whole("how often"), "asks for a habit", semantic=1.0, group="form"),
    Cue(
        whole("how (?:do|does|can|should|would|to|could|is|are)"),
        "asks how something is done",
        semantic=1.0,
        group="form",
    ),
    Cue(
        whole("why (?:is|are|do|does|can|should|would|must|not|use|no)(?:n't|not)?"),
        "asks for the reason of a present state",
        semantic=1.5,
        group="form",
    ),
    Cue(whole(rf"(?:was|were) {PERSON} \w+ing"), "what someone was doing", episodic=1.5, group="form"),
    Cue(
        whole(r"(?:am|are|is|'re|'m) (?:i|we|you|they|he|she) (?:working on|doing|up to|stuck on)"),
        "what someone is at just now",
        episodic=2.0,
        group="form",
    ),
    Cue(whole("whats new|what's new|up to (?:speed|date)|catch (?:me|us) up"), "asks for news", episodic=3.0),
    Cue(
        whole("(?:leave|left|pick(?:ed)?|break|broke) (?:it )?(?:off|up where)"), "picks up earlier work", episodic=1.5
    ),
    Cue(whole("the time (?:when|that|we|i)"), "asks for one occasion", episodic=2.0),
    Cue(
        re.compile(
            rf"(?<=\w\s)(?<!am )(?<!are )(?<!is )(?:i|we|you|anyone|someone){ADVERBS}\s+(?:was|were|had|{PAST})(?!\w|"
            rf"'t)"
        ),
        "a person and a past tense",
        episodic=1.75,
    ),
    Cue(
        re.compile(rf"(?<=\w\s)(?<!am )(?<!are )(?<!is )(?:he|she|they){ADVERBS}\s+(?:was|were|had|{PAST})(?!\w|'t)"),
        "a person and a past tense",
        episodic=1.0,
    ),
    Cue(
        whole(
            r"(?:how|what|where|when|which|why)(?: (?!did\b|had\b|was\b|were\b|have\b|has\b)[\w-]+){0,2} "
            r"(?:i|we|you|they) (?!did\b|had\b|was\b|were\b)[a-z]+(?<!ed)"
            r"(?<!\bmade)(?<!\btook)(?<!\bsaid)(?<!\bwent)(?<!\bchose)(?<!\btold)"
        ),
        "a person and a present tense",
        semantic=0.5,
    ),
)
TIME = (
    Cue(
        whole("(?:the )?(?:last|previous|first|next|other|second) time|last one|time before"),
        "one occasion among several",
        episodic=1.75,
    ),
    Cue(
        whole(
            r"(?:last|previous|earlier|most recent|latest) (?:\w+ )?(?:session|meeting|conversation|discussion|chat|"
            r"call|"
            r"run|deploy|deployment|release|standup|retro|review|sprint|incident|outage|commit|change|update|attempt|"
            r"visit|trip|migration|merge|message|episode|entry|decision)s?"
        ),
        "a past occasion",
        episodic=1.75,
    ),
    Cue(whole("recent(?:ly)?|lately"), "the recent past", episodic=1.5, group="recent"),
    Cue(whole("latest|newest"), "the newest of several", episodic=0.75, group="recent"),
    Cue(
        whole(
            "ago|earlier|previously|back then|at the time|in the past|formerly|the other day|so far|until now|up to "
            "now|"
            "just now|before that|originally|initially"
        ),
        "an adverb of the past",
        episodic=1.25,
    ),
    Cue(re.compile(r"(?<!\w)before(?=\s*[?.!]*$)"), "an adverb of the past", episodic=1.25),
    Cue(whole("already|ever|yet"), "asks whether it happened", episodic=0.75),
    Cue(
        whole(
            "usually|normally|typically|generally|always|every|each time|by default|in general|currently|nowadays|"
            "right now|at the moment|these days|still|at present"
        ),
        "an adverb of the present or of habit",
        semantic=1.0,
    ),
)
NOUNS = (
    Cue(
        whole(
            "(?:session|meeting|conversation|discussion|chat|standup|retro|retrospective|incident|outage|postmortem)s?|"
            "commits?|what happened|recent work|changelog|activity|entries"
        ),
        "a word for events",
        episodic=0.9,
    ),
    Cue(whole("decisions?"), "a word for events", episodic=0.5),
    Cue(
        whole(
            "convention|rule|policy|policies|guideline|standard|principle|preference|favou?rite|definition|difference|"
            "meaning|purpose|architecture|schema|syntax|requirement|notes?|docs|documentation|recommended|best "
            "practice|checklist|role|owner|"
            "responsible|allowed|supported|default|style guide"
        ),
        "a word for standing knowledge",
        semantic=0.9,
        group="noun",
    ),
    Cue(
        re.compile(r"^(?:explain|describe|define|compare|document|outline|clarify)(?!\w)"),
        "asks for an explanation",
        semantic=2.0,
    ),
    Cue(
        re.compile(r"^(?:show|list|find|give|search|get|pull up|look up|summari[sz]e|recap|review|recall)(?!\w)"),
        "asks for a list",
        episodic=0.25,
        semantic=0.25,
    ),
    Cue(re.compile(r"^(?:summari[sz]e|recap)(?!\w)"), "asks for an account", episodic=0.75),
    Cue(re.compile(r"^(?:how|what|where|when) to(?!\w)"), "asks how something is done", semantic=1.5),
)
BOTH = (
    Cue(
        whole(rf"why (?:did|didn't)(?: not)? (?:i|we|you|they|us|the \w+|our \w+)(?= (?!(?:\w+ )?{FAILURE}\b))"),
        "a past choice of people and its reason",
        both=True,
    ),
    Cue(whole(rf"why did(?:n't)? (?:[\w'-]+ ){{1,5}}?{CHOICE}"), "a past choice and its reason", both=True),
    Cue(
        whole(rf"why (?:have|has|had)(?:n't)? (?:[\w'-]+ ){{1,5}}?{CHOSEN}"), "a past choice and its reason", both=True
    ),
    Cue(
        whole(rf"why (?:was|were)(?:n't)? (?:[\w'./-]+ ){{1,6}}?(?:{PARTICIPLE}|\w+ed|put|set)"),
        "a past act and its reason",
        both=True,
    ),
    Cue(whole(rf"(?:why|how come) (?:i|we|you|they|{PERSON}) {PAST}"), "a past choice and its reason", both=True),
    Cue(
        whole(r"why (?:(?!if\b|when\b)[\w'-]+ )+(?:anymore|any more|any longer)|why (?:[\w'-]+ )+?no longer"),
        "something that ended, and why",
        both=True,
    ),
    Cue(
        whole(
            r"how (?:[\w'/.-]+ ){1,8}?(?:get|got|gotten|become|became|turn(?:ed)? out|c[ao]me out|be) "
            r"(?:(?:in|in?to|to|at) )?(?:(?:this|that|such a|the current) (?:way|state|shape|mess|point|stage|form|"
            r"size)|"
            r"like (?:this|that)|(?:so|this|that) (?:big|complicated|complex|slow|large|messy|tangled|bad|convoluted)|"
            r"what it is|here)"
        ),
        "how something came to be as it is",
        both=True,
    ),
    Cue(
        whole(
            r"how (?:did|has|have) (?:[\w'-]+ ){1,6}?(?:come about|come to be|come to|evolved?|end(?:ed)? up|"
            r"changed over|grow into|turn into|get here|arrive at|settle on|come into being|become)"
        ),
        "how something came to be as it is",
        both=True,
    ),
    Cue(
        whole(
            "(?:the |a |and |its |your |our )?(?:history|evolution|backstory|back story|background|origins?) (?:of|"
            "behind)|"
            "story (?:of|behind)|its (?:history|evolution|origins?|background)|came about|came to be"
        ),
        "the story of something",
        both=True,
    ),
    Cue(
        whole(
            r"what (?:led|made|prompted|convinced|drove|motivated|caused) (?:us|you|me|them|him|her|the \w+|our \w+) "
            r"(?:to |into )?\w+"
        ),
        "what led people to a choice",
        both=True,
    ),
    Cue(
        whole(
            r"(?:reason|reasons|reasoning|rationale|motivation|motive|thinking|argument)s?(?: \w+)? "
            r"(?:for|behind|why|that|we|you|to|of) (?:[\w'-]+ ){0,6}?"
            r"(?:switch\w*|mov(?:e|ed|ing)|migrat\w+|chang(?:e|ed|ing)|decision|drop\w*|adopt\w*|choice|choosing|chose|"
            r"remov\w+|replac\w+|pick\w+|split\w*|rewr\w+|introduc\w+|abandon\w*)"
        ),
        "a change and its reason",
        both=True,
    ),
    Cue(
        whole(
            r"when (?:is|are) (?:[\w'-]+ ){1,5}?(?:going|planning|leaving|coming|moving|hosting|attending|performing|"
            r"visiting|"
            r"meeting|starting|travell?ing|putting on)"
        ),
        "a plan: noted on one day, standing until then",
        both=True,
    ),
    Cue(
        whole("since when|when and why|why and when|how and why did|why and how did"),
        "a date and a standing fact",
        both=True,
    ),
    Cue(whole("everything (?:about|on)|all (?:about|we know)|status of"), "asks for all that is known", both=True),
)

_STARTS = (
    r"(?:also |then |so )?(?:(?:what|which|who|whose|whom|where|when|why|how|since when|in which|on which|at "
    r"which)(?:'s|'re)?|did(?:n't)?|"
    r"(?:do|does|is|are|was|were|has|have|had|can|could|should|would|will)(?:n't)?(?= (?:we|i|you|they|he|she|it|the|"
    r"our|my|your|any|"
    r"anyone|anybody|there|this|that|these|those)\b))(?!\w)"
)

ENGLISH = Lexicon(
    code="en",
    name="English",
    function_words=words(
        "the a an of to in on for with and or is are was were do does did what which who whose where when why how we i "
        "you they it this that our my your should can have has had about from by not be been me us there any"
    ),
    marks=frozenset(),
    cues=(*TENSE, *FORM, *TIME, *NOUNS, *BOTH),
    opening=re.compile(
        r"^(?:(?:please|hey|hi|ok|okay|so|well|and|now|quick question|just)[,:]?\s+)*"
        r"(?:(?:can|could|would|will) you (?:please |also )?(?=(?:list|walk|share|give|summari[sz]e|recap|outline|"
        r"explain|"
        r"describe|compare|provide)\b))?"
        r"(?:(?:can|could|would|will|do) you (?:please |also |still )?"
        r"(?:tell|remind|show|remember|recall|know|explain to|give|find|look up|check)(?: (?:me|us|out))?"
        r"(?: again)?(?: if| whether)?[,:]?\s+|"
        r"(?:please )?(?:tell|remind|inform) (?:me|us)(?: again)?(?: about)?[,:]?\s+(?!about\b|the story)|"
        r"(?:i|we) (?:want|need|would like|wonder|am wondering|was wondering)(?: to)?(?: (?:know|see|remember|find "
        r"out|learn))?"
        r"(?: if| whether)?[,:]?\s+|i'd like to (?:know|see)\s+|(?:any idea|do we know|does anyone know|remember|"
        r"recall)\s+"
        r"(?=what|which|who|where|when|why|how|if|whether)(?:if |whether )?)?"
        r"(?:please\s+)?"
    ),
    joint=re.compile(
        rf"(?:\s*[,;:]\s*|\s+)(?:and|but|or|plus|as well as)\s+(?={_STARTS}\s)|(?<=\w\w)[?;.!]+\s+(?={_STARTS}\s)|"
        rf",\s+(?={_STARTS}\s)"
    ),
    asking=re.compile(
        r"(?<!\w)(?:what|which|who|whose|whom|where|when|why|how|did|do|does|is|are|was|were|has|have|had|can|could|"
        r"should|"
        r"would|will|show|list|tell|find|explain|describe|summari[sz]e|remind)(?!\w)"
    ),
    tail=re.compile(
        r",?\s*(?:and|or|but)\s+(?:(?P<why>why(?: not| so)?|for what reason|what for|the reason)|(?P<since>since "
        r"when|from when)|"
        r"(?P<other>when|where|how|who|by whom|with whom))\s*[?.!]*$"
    ),
    back=whole(
        "it|its|each|that|this|these|those|they|them|their|he|she|him|his|her|then|one|ones|(?:the )?last time|again"
    ),
    decision=whole(
        "decide[ds]?|deciding|decisions?|choose|chose|chosen|choice|agree[ds]?|settle[ds]?|pick(?:ed)?|verdict|"
        "opt(?:ed)?"
    ),
    hollow=words(
        "a about accomplish accomplished achieve achieved again all am an and any anything are as at be been being "
        "but by "
        "can could day decide decided decision decisions "
        "did do does doing done during else entries entry episode episodes ever every "
        "everything exactly far finish finished for from get give go going gone got had happen happened happening has "
        "have he her his i in into is it its journal just learn learned learnt let list log look lookup made make "
        "many me "
        "memories memory much my night no not notes of off on or our out over please recap remember remind s session "
        "sessions she show so some something stuff sum summarise summarize summary talk talked tell that the their "
        "them "
        "there these they thing things this those through time to t till until up us was way we went were what whats "
        "when where which while who whole with work worked working would you your discuss discussed activity "
        "activities "
        "between since day's today's yesterday's week's 's d ve re m ll morning evening noon afternoon"
    ),
)
