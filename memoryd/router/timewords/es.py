"""Spanish words of time: the common ones."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, kinds, named_days, numbered, with_bare

_LAST = "[úu]ltim[oa]s?"
_THIRD = "(?:a |hacia |desde )?{third} (?:de |del |de la )"
_UNIT = "(?P<unit>semana|mes|trimestre|año)"

SPANISH = TimeWords(
    code="es",
    numbers=numbered(
        "1 un una",
        "2 dos",
        "3 tres",
        "4 cuatro",
        "5 cinco",
        "6 seis",
        "7 siete",
        "8 ocho",
        "9 nueve",
        "10 diez",
        "12 doce",
        "15 quince",
    ),
    units=cast(
        "dict[str, Unit]",
        kinds(
            "minute minuto minutos",
            "hour hora horas",
            "day día días dia dias",
            "week semana semanas",
            "month mes meses",
            "quarter trimestre trimestres",
            "year año años",
        ),
    ),
    relative=numbered("0 hoy", "-1 ayer", "-2 anteayer antes_de_ayer antier"),
    weekdays=numbered(
        "0 lunes", "1 martes", "2 miércoles miercoles", "3 jueves", "4 viernes", "5 sábado sabado", "6 domingo"
    ),
    months=numbered(
        "1 enero",
        "2 febrero",
        "3 marzo",
        "4 abril",
        "5 mayo",
        "6 junio",
        "7 julio",
        "8 agosto",
        "9 septiembre setiembre",
        "10 octubre",
        "11 noviembre",
        "12 diciembre",
    ),
    parts=cast("dict[str, Part]", kinds("morning mañana", "noon mediodía", "afternoon tarde", "night noche")),
    seasons=cast("dict[str, Season]", kinds("spring primavera", "summer verano", "autumn otoño", "winter invierno")),
    thirds=numbered("0 principios comienzos inicios", "1 mediados", "2 finales fines"),
    ordinals=numbered("1 primer primero", "2 segundo", "3 tercer tercero", "4 cuarto"),
    named_days=with_bare(
        named_days(
            "12-24 1 nochebuena",
            "12-25 1 navidad",
            "12-31 1 nochevieja",
            "01-01 1 año_nuevo",
            "01-06 1 día_de_reyes reyes",
        )
    ),
    templates=(
        Template("half_year_ago", "hace medio año"),
        Template("ago_range", "el otro d[íi]a"),
        Template("weekday_in", "(?:el )?{weekday} de la semana pasada"),
        Template("week_of", "(?:la )?semana del {day} de {month}(?: (?:de|del) {year})?"),
        Template("week", "(?:la )?semana {week}(?: (?:de |del )?{year})?"),
        Template("half", "(?:el )?{ordinal} semestre(?: (?:de |del )?{year})?"),
        Template("quarter", "(?:el )?{ordinal} trimestre(?: (?:de |del )?{year})?"),
        Template("quarter", "[qt]{quarter}"),
        Template("named_day", "(?:el |la )?{named_day} (?:de |del )?{year}"),
        Template("named_day", "(?:el |la )?{named_day}", weak=True),
        Template("month", f"{_THIRD}{{month}}(?: (?:de |del )?{{year}})?"),
        Template("year", f"{_THIRD}{{year}}"),
        Template("unit_last", f"{_THIRD}{_UNIT} (?:pasad[oa]|anterior)"),
        Template("unit_latest", f"{_THIRD}{_UNIT}"),
        Template("relative", "{relative}(?: (?:por la |en la |a la )?{part})?"),
        Template("part_today", "esta {part}"),
        Template("last_night", "anoche"),
        Template("ago", "hace (?:unos |unas )?{n} {unit}"),
        Template("ago_range", "hace (?:unos|unas|algunos|algunas) {unit}"),
        Template("last_n", f"(?:en )?(?:los |las )?{_LAST} {{n}} {{unit}}"),
        Template("last_n", f"(?:en )?(?:los |las )?{{n}} {_LAST} {{unit}}"),
        Template("last_range", f"(?:en )?(?:los |las ){_LAST} {{unit}}"),
        Template("unit_last", "(?:la |el )?(?P<unit>semana|mes|trimestre|año) (?:pasad[oa]|anterior)"),
        Template("unit_last", f"(?:la |el )[úu]ltim[oa] {_UNIT}"),
        Template("unit_this", "(?:esta|este) (?P<unit>semana|mes|trimestre|año)"),
        Template("weekend_last", "(?:el )?fin de semana pasado"),
        Template("weekend_this", "este fin de semana"),
        Template("weekday", "(?:el )?{weekday}(?: pasado)?(?: por la {part})?"),
        Template("date_range", "(?:del )?{day} al {day2} de {month}(?: (?:de|del) {year})?"),
        Template("date", "(?:{weekday},? )?(?:el )?{day} de {month}(?: (?:de|del) {year})?"),
        Template("month", "{month} (?:de |del )?{year}"),
        Template("month_last", "{month} pasado"),
        Template("month", "{clear_month}"),
        Template("quarter", "[qt]{quarter} (?:de )?{year}"),
        Template("season_last", "(?:el |la )?{season} pasad[oa]"),
        Template("season", "(?:este|esta) {season}"),
        Template("season", "{season} (?:de )?{year}"),
        Template("year", "(?:año ){year}"),
        Template("year", "{year}", weak=True),
    ),
    other=("anoche", "fin de semana", "otro", "semestre"),
    before_weak="en|durante|del",
    before_since="desde(?: el| la)?|a partir (?:de|del)",
    before_after="despu[ée]s (?:de|del)(?: la)?",
    before_until="antes (?:de|del)(?: la)?",
    before_through="hasta(?: el)?",
    before_plain="todo el d[íi]a de|en|el|la|durante|de|del|por|a|este",
    opens="entre(?: el)?|de|del|desde(?: el)?",
    joins=r"y(?: el)?|a|al|hasta(?: el)?|-|\u2013",
    never_before="cada|los|todos los|todas las|próxim[oa]",
    never_after="que viene|próxim[oa]|siguiente",
    whole_day="de la mañana a la noche|todo el día",
)
