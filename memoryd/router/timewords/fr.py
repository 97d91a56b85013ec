"""French words of time: the common ones."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, kinds, numbered

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
    months=numbered(
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
    ),
    weak_months=numbered("3 mars"),
    parts=cast(
        "dict[str, Part]", kinds("morning matin", "noon midi", "afternoon après-midi", "evening soir", "night nuit")
    ),
    seasons=cast("dict[str, Season]", kinds("spring printemps", "summer été", "autumn automne", "winter hiver")),
    templates=(
        Template("relative", "{relative}(?: {part})?"),
        Template("part_today", "(?:ce|cette|cet) {part}"),
        Template("part_last", "la (?P<part>nuit) dernière"),
        Template("ago", "il y a (?:environ )?{n} {unit}"),
        Template("ago_range", "il y a quelques {unit}"),
        Template("since_n", "depuis {n} {unit}"),
        Template("last_n", "(?:ces |les |des |au cours des )?{n} (?:derniers|dernières) {unit}"),
        Template("last_range", "ces (?:derniers|dernières) {unit}"),
        Template(
            "unit_last", "(?:la |le |l'|l’)?(?P<unit>semaine|mois|trimestre|an|année) (?:dernière?|passée?|précédente?)"
        ),
        Template("unit_this", "(?:cette|ce|cet) (?P<unit>semaine|mois|trimestre|année)"),
        Template("weekend_last", "(?:le )?week-?end dernier"),
        Template("weekend_this", "ce week-?end"),
        Template("weekday", "{weekday}(?: dernier)?(?: {part})?"),
        Template("date_range", "(?:le )?{day}(?:er)? (?:au|et le) {day2} {month}(?: {year})?"),
        Template("date", "(?:{weekday} )?(?:le )?{day}(?:er)? {month}(?: {year})?"),
        Template("month", "{month} {year}"),
        Template("month_last", "{month} dernier"),
        Template("month", "{clear_month}"),
        Template("month", "{weak_month}", weak=True),
        Template("quarter", "[qt]{quarter} {year}"),
        Template("season_last", "(?:l'|l’|le |cet |au )?{season} (?:dernier|passé)"),
        Template("season", "{season} {year}"),
        Template("year", "{year}", weak=True),
    ),
    other=("week", "dernier"),
    before_weak="en|au mois de|durant|pendant",
    before_since="depuis(?: le)?|à partir (?:de|du)|dès",
    before_after="après(?: le)?",
    before_until="avant(?: le)?",
    before_through="jusqu'(?:à|au|en)|jusqu’(?:à|au|en)",
    before_plain="le|la|en|au|au mois de|pendant|durant|dans|du|de|ce|à|d'|d’|de la",
    opens="entre(?: le)?|de|du|d'|d’|depuis(?: le)?",
    joins=r"et(?: le)?|à|au|jusqu'(?:à|au|en)|-|\u2013",
    never_before="chaque|tous les|prochain",
    whole_day="du matin au soir|toute la journée",
)
