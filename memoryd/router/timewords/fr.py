"""French words of time: the common ones."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, kinds, named_days, numbered, with_bare

_LAST = "(?:derni(?:ers?|ères?|eres?)|pass[ée]e?s?|pr[ée]c[ée]dente?s?)"
_THIRD = "(?:au |en |vers |à la |vers la )?{third}[ -](?:de |du |de la |de l['’]|d['’])?"
_UNIT = "(?P<unit>semaine|mois|trimestre|an|ann[ée]e)"

FRENCH = TimeWords(
    code="fr",
    numbers=numbered(
        "1 un une",
        "2 deux",
        "3 trois",
        "4 quatre",
        "5 cinq",
        "6 six",
        "7 sept",
        "8 huit",
        "9 neuf",
        "10 dix",
        "12 douze",
        "15 quinze",
    ),
    units=cast(
        "dict[str, Unit]",
        kinds(
            "minute minute minutes",
            "hour heure heures",
            "day jour jours",
            "week semaine semaines",
            "month mois",
            "quarter trimestre trimestres",
            "year an ans année années",
        ),
    ),
    relative=numbered("0 aujourd'hui aujourd’hui", "-1 hier", "-2 avant-hier"),
    weekdays=numbered("0 lundi", "1 mardi", "2 mercredi", "3 jeudi", "4 vendredi", "5 samedi", "6 dimanche"),
    months=with_bare(
        numbered(
            "1 janvier",
            "2 février",
            "4 avril",
            "5 mai",
            "6 juin",
            "7 juillet",
            "8 août",
            "9 septembre",
            "10 octobre",
            "11 novembre",
            "12 décembre",
        )
    ),
    weak_months=numbered("3 mars"),
    parts=cast(
        "dict[str, Part]",
        with_bare(kinds("morning matin", "noon midi", "afternoon après-midi", "evening soir", "night nuit")),
    ),
    seasons=cast("dict[str, Season]", kinds("spring printemps", "summer été", "autumn automne", "winter hiver")),
    thirds=with_bare(numbered("0 début", "1 mi milieu", "2 fin")),
    ordinals=with_bare(
        numbered("1 premier 1er première", "2 deuxième second seconde 2e", "3 troisième 3e", "4 quatrième 4e")
    ),
    named_days=with_bare(
        named_days(
            "12-24 1 veille_de_noël réveillon_de_noël",
            "12-25 1 noël",
            "12-31 1 saint-sylvestre réveillon_du_nouvel_an",
            "01-01 1 jour_de_l'an nouvel_an",
        )
    ),
    templates=(
        Template("relative", "{relative}(?: {part})?"),
        Template("ago_range", "l['’]autre jour"),
        Template("weekday_in", f"{{weekday}} (?:de )?la semaine {_LAST}"),
        Template("week_of", "(?:la )?semaine du {day}(?:er)? {month}(?: {year})?"),
        Template("week", "(?:la )?semaine {week}(?: (?:de )?{year})?"),
        Template("half", "(?:le |au )?{ordinal} semestre(?: (?:de )?{year})?"),
        Template("quarter", "(?:le |au )?{ordinal} trimestre(?: (?:de )?{year})?"),
        Template("quarter", "[qt]{quarter}"),
        Template("named_day", "(?:la |le )?{named_day} {year}"),
        Template("named_day", "(?:la |le )?{named_day}", weak=True),
        Template("month", f"{_THIRD}{{month}}(?: {{year}})?"),
        Template("year", f"{_THIRD}{{year}}"),
        Template("unit_last", f"{_THIRD}(?:la |le |l['’])?{_UNIT} {_LAST}"),
        Template("unit_latest", f"{_THIRD}(?:la |le |l['’])?{_UNIT}"),
        Template("part_today", "(?:ce|cette|cet) {part}"),
        Template("part_last", "la (?P<part>nuit) dernière"),
        Template("ago", "il y a (?:environ )?{n} {unit}"),
        Template("ago_range", "il y a quelques {unit}"),
        Template("since_n", "depuis {n} {unit}"),
        Template("last_n", f"(?:ces |les |des |au cours des )?{{n}} {_LAST} {{unit}}"),
        Template("last_range", f"(?:ces|les|des) {_LAST} {{unit}}"),
        Template("unit_last", f"(?:la |le |l['’])?{_UNIT} {_LAST}"),
        Template("unit_this", f"(?:cette|ce|cet) {_UNIT}"),
        Template("weekend_last", "(?:le )?week-?end dernier"),
        Template("weekend_this", "ce week-?end"),
        Template("weekday", "{weekday}(?: (?:dernier|passé))?(?: {part})?"),
        Template("date_range", "(?:le )?{day}(?:er)? (?:au|et le) {day2} {month}(?: {year})?"),
        Template("date", "(?:{weekday} )?(?:le )?{day}(?:er)? {month}(?: {year})?"),
        Template("month", "{month} {year}"),
        Template("month_last", "{month} dernier"),
        Template("month", "{clear_month}"),
        Template("month", "{weak_month}", weak=True),
        Template("quarter", "[qt]{quarter} {year}"),
        Template("season_last", "(?:l'|l’|le |cet |au )?{season} (?:dernier|passé)"),
        Template("season", "(?:cet|cette|ce) {season}"),
        Template("season", "{season} {year}"),
        Template("year", "{year}", weak=True),
    ),
    other=("week", "dernier", "autre jour", "semestre"),
    before_weak="en|à|à la|au|au mois de|durant|pendant|pour",
    before_since="depuis(?: le| la)?|à partir (?:de|du)|dès",
    before_after="après(?: le)?",
    before_until="avant(?: le)?",
    before_through="jusqu'(?:à|au|en)|jusqu’(?:à|au|en)",
    before_plain="toute la journée d['’]|le|la|en|au|au mois de|pendant|durant|dans|du|de|ce|à|d'|d’|de la",
    opens="entre(?: le)?|de|du|d'|d’|depuis(?: le)?",
    joins=r"et(?: le)?|à|au|jusqu'(?:à|au|en)|-|\u2013",
    never_before="chaque|tous les|toutes les|prochaine?",
    never_after="prochaine?|qui vient|suivante?",
    whole_day="du matin au soir|toute la journée",
)
