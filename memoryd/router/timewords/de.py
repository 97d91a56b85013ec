"""German words of time."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, kinds, named_days, numbered

_LAST = "(?:letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?)"
_THIS = "(?:diese[nrsm]?|laufende[nrsm]?)"
_THIRD = "(?:zu )?{third} (?:vom |des |der )?"
_PART = "(?P<part>früh|morgen|vormittag|mittag|nachmittag|abend|nacht)"

GERMAN = TimeWords(
    code="de",
    numbers=numbered(
        "1 ein eine einem einer einen",
        "2 zwei",
        "3 drei",
        "4 vier",
        "5 fünf",
        "6 sechs",
        "7 sieben",
        "8 acht",
        "9 neun",
        "10 zehn",
        "11 elf",
        "12 zwölf",
        "14 vierzehn",
        "20 zwanzig",
        "30 dreißig",
    ),
    units=cast(
        "dict[str, Unit]",
        kinds(
            "minute minute minuten",
            "hour stunde stunden",
            "day tag tage tagen",
            "week woche wochen",
            "month monat monate monaten monats",
            "quarter quartal quartale quartalen quartals",
            "year jahr jahre jahren jahres jahrs",
        ),
    ),
    relative=numbered("0 heute", "-1 gestern gestrigen gestrige", "-2 vorgestern"),
    weekdays=numbered(
        "0 montag", "1 dienstag", "2 mittwoch", "3 donnerstag", "4 freitag", "5 samstag sonnabend", "6 sonntag"
    ),
    short_weekdays=numbered("0 mo mo.", "1 di di.", "2 mi mi.", "3 do do.", "4 fr fr.", "5 sa sa.", "6 so so."),
    months=numbered(
        "1 januar jänner",
        "2 februar feber",
        "3 märz maerz",
        "4 april",
        "5 mai",
        "6 juni",
        "7 juli",
        "8 august",
        "9 september",
        "10 oktober",
        "11 november",
        "12 dezember",
    ),
    weak_months=numbered(
        "1 jan jan.",
        "2 feb feb.",
        "3 mär mär. mrz",
        "4 apr apr.",
        "6 jun jun.",
        "7 jul jul.",
        "8 aug aug.",
        "9 sep sep. sept sept.",
        "10 okt okt.",
        "11 nov nov.",
        "12 dez dez.",
    ),
    parts=cast(
        "dict[str, Part]",
        kinds("morning früh morgen vormittag", "noon mittag", "afternoon nachmittag", "evening abend", "night nacht"),
    ),
    seasons=cast(
        "dict[str, Season]", kinds("spring frühling frühjahr", "summer sommer", "autumn herbst", "winter winter")
    ),
    ordinals=numbered(
        "1 erste ersten erstes", "2 zweite zweiten zweites", "3 dritte dritten drittes", "4 vierte vierten viertes"
    ),
    thirds=numbered("0 anfang beginn", "1 mitte", "2 ende"),
    named_days=named_days(
        "12-06 1 nikolaus",
        "12-24 1 heiligabend heiligem_abend",
        "12-24 3 weihnachten",
        "12-31 1 silvester",
        "01-01 1 neujahr",
        "10-03 1 tag_der_deutschen_einheit",
    ),
    templates=(
        Template("relative", f"{{relative}} {_PART}"),
        Template("relative", "{relative}"),
        Template("part_today", "(?:heute|diesen) {part}"),
        Template("part_last", "(?:letzte|vergangene) (?P<part>nacht)"),
        Template("ago", "vor (?:etwa |rund |ungefähr |circa |ca\\. )?{n} {unit}"),
        Template("half_year_ago", "vor einem halben jahr"),
        Template("ago_range", "neulich"),
        Template("ago_range", "vor (?:ein paar|einigen|mehreren|wenigen) {unit}"),
        Template("since_n", "seit {n} {unit}"),
        Template("last_n", f"(?:in |während )?(?:den |der |die )?{_LAST} {{n}} {{unit}}"),
        Template("last_range", f"(?:in )?(?:den |der |die )?{_LAST} (?:paar|wenigen) {{unit}}"),
        Template(
            "last_range",
            f"(?:in )?(?:den |der |die )?{_LAST} (?P<unit>stunden|tagen?|wochen|monaten?|quartalen?|jahren?)",
        ),
        Template("last_n_one", "(?:in )?(?:der )?letzten (?P<unit>stunde)"),
        Template("weekday_in", f"{{weekday}} (?:der )?{_LAST} woche"),
        Template("weekday_in", f"{_LAST} woche(?: am)? {{weekday}}"),
        Template(
            "unit_before_last",
            "(?:die |der |den |dem |das |im )?vorletzte[nrsm]? (?P<unit>woche|monats?|quartals?|jahr(?:es|s)?)",
        ),
        Template("weekday_before_last", "vorletzte[nrsm]? {weekday}"),
        Template("unit_latest", "(?:zu )?{third} (?:des|der|dieses|dieser) (?P<unit>woche|monats|quartals|jahres)"),
        Template(
            "unit_last",
            f"(?:{_THIRD})?(?:der |des |den |dem |im |in der |das )?{_LAST} "
            "(?P<unit>woche|monats?|quartals?|jahr(?:es|s)?)",
        ),
        Template(
            "unit_this",
            f"(?:{_THIRD})?(?:der |des |den |dem |im |in )?{_THIS} (?P<unit>woche|monats?|quartals?|jahr(?:es|s)?)",
        ),
        Template("unit_last", "vor(?P<unit>woche|jahr)"),
        Template("weekend_last", f"(?:am )?{_LAST} wochenende"),
        Template("weekend_this", f"(?:am |übers )?(?:{_THIS} )?wochenende"),
        Template("weekday", f"{_LAST} {{weekday}} ?{_PART}?"),
        Template("weekday_this", f"{_THIS} {{weekday}} ?{_PART}?"),
        Template("weekday", f"{{weekday}} ?{_PART}?"),
        Template("date_range", r"{day}\.?(?: ?[-\u2013] ?| bis(?: zum)? | und (?:dem )?){day2}\. {month}(?: {year})?"),
        Template("week_of", r"(?:der |die )?woche (?:vom|ab(?: dem)?|um den) {day}\. ?{month}(?:,? {year})?"),
        Template("week_of", r"(?:der |die )?woche (?:vom|ab(?: dem)?|um den) {day}\.{mm}\.{year}"),
        Template(
            "day_of_month",
            r"(?:den |dem )?{day}\.(?=\s*(?:$|[?!,;]|(?:bis|und|haben|habe|hat|war|wurde)(?!\w)))",
            weak=True,
        ),
        Template("date", r"(?:{any_weekday},? )?(?:den |dem )?{day}\. ?{month},? {year}"),
        Template("date", r"(?:{any_weekday},? )?(?:den |dem )?{day}\. ?{month}"),
        Template("date_dotted", r"(?:{any_weekday},? )?(?:den |dem )?{day}\.{mm}\.(?!\d)", weak=True),
        Template("named_day", "{named_day},? {year}"),
        Template("named_day", "{named_day}", weak=True),
        Template("month", f"(?:{_THIRD})?{{month}},? {{year}}"),
        Template("month_last", f"{_LAST} {{month}}"),
        Template("month_this", f"{_THIS} {{month}}"),
        Template("month", f"{_THIRD}{{month}}"),
        Template("month", "{clear_month}"),
        Template("month", "{weak_month}", weak=True),
        Template("quarter", "q{quarter}(?: | ?/ ?){year}"),
        Template("quarter", "{year}[ /-]?q{quarter}"),
        Template("quarter", r"{quarter}\. quartal(?: {year})?"),
        Template("quarter", "{ordinal} quartal(?: {year})?"),
        Template("quarter", "q{quarter}"),
        Template("half", "{ordinal} halbjahr(?: {year})?"),
        Template("half", "h{half}(?: | ?/ ?){year}"),
        Template("week", "(?:kw|kalenderwoche) ?{week}(?:(?: | ?/ ?){year})?"),
        Template("week", r"{week}\. (?:kw|kalenderwoche)(?:(?: | ?/ ?){year})?"),
        Template("season_last", f"{_LAST} {{season}}"),
        Template("season", f"{_THIS} {{season}}"),
        Template("season", "{season} {year}"),
        Template("season", "{season}", weak=True),
        Template("year", "(?:jahre? |jahres ){year}"),
        Template("year", f"{_THIRD}(?:jahres )?{{year}}"),
        Template(
            "year",
            r"{year}(?!\s*(?:%|[kmgt]?b|px|ms|zeilen|dateien|zeichen|euro|mal|fehler|nutzer|einträge|notizen)(?!\w))",
            weak=True,
        ),
    ),
    other=("wochenende", "letzte", "neulich", "halbjahr"),
    before_weak="im|in|am|an|zu|über|während|im jahr|im jahre|ende|anfang",
    before_since="seit(?: dem| der)?|ab(?: dem)?",
    before_after="nach(?: dem)?",
    before_until="vor(?: dem)?",
    before_through="bis(?: zum| zur)?",
    before_plain="am|im|in|in der|an|zu|übers|zum|zur|während|über|vom|von|der|des|dem|den|aus dem|aus|den ganzen",
    opens="zwischen(?: dem)?|von|vom|ab",
    joins=r"und(?: dem)?|bis(?: zum)?|-|\u2013|\u2014",
    never_before="jede[nrs]?(?: zweite[nrs]?| dritte[nrs]?)?|nächste[nrs]?|kommende[nrs]?|version",
    whole_day=r"(?:von )?(?:morgens|früh|morgen) bis (?:abends|abend|nachts|in die nacht|spät)|den ganzen tag(?: "
    r"lang| über)?",
)
