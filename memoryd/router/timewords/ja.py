"""Japanese words of time: the common ones."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, kinds, numbered

JAPANESE = TimeWords(
    code="ja",
    spaced=False,
    numbers=numbered("1 一", "2 二", "3 三", "4 四", "5 五", "6 六", "7 七", "8 八", "9 九", "10 十"),
    units=cast(
        "dict[str, Unit]",
        kinds(
            "minute 分",
            "hour 時間",
            "day 日 日間",
            "week 週間",
            "month か月 ヶ月 カ月 ヵ月 箇月",
            "quarter 四半期",
            "year 年 年間",
        ),
    ),
    relative=numbered("0 今日 本日 きょう", "-1 昨日 きのう 前日", "-2 一昨日 おととい"),
    weekdays=numbered(
        "0 月曜日 月曜",
        "1 火曜日 火曜",
        "2 水曜日 水曜",
        "3 木曜日 木曜",
        "4 金曜日 金曜",
        "5 土曜日 土曜",
        "6 日曜日 日曜",
    ),
    months={},
    bound_units=cast("dict[str, Unit]", kinds("week 週 先週 今週", "month 先月 今月", "quarter 前四半期 今四半期")),
    other=("昨", "去年", "今年", "おととし", "ゆうべ", "数", "月"),
    parts=cast(
        "dict[str, Part]", kinds("morning 朝 午前 今朝", "noon 昼", "afternoon 午後", "evening 夕方 夜 晩 今夜 今晩")
    ),
    seasons=cast("dict[str, Season]", kinds("spring 春", "summer 夏", "autumn 秋", "winter 冬")),
    templates=(
        Template("relative", "{relative}の?{part}"),
        Template("relative", "{relative}"),
        Template("part_today", "(?P<part>今朝|今夜|今晩)"),
        Template("last_night", "昨夜|昨晩|ゆうべ"),
        Template("ago", "{n}{unit}前"),
        Template("ago_range", "数{unit}前"),
        Template("last_n", "(?:過去|直近|ここ|この)の?{n}{unit}"),
        Template("last_range", "(?:過去|ここ|この)数{unit}"),
        Template("weekday_in", "先週の?{weekday}"),
        Template("unit_at", "先々週"),
        Template("unit_last", "(?P<unit>先週|先月|前四半期)(?!末)"),
        Template("unit_this", "(?P<unit>今週|今月|今四半期)(?!末)"),
        Template("year_named", "(?P<which>去年|昨年|今年|一昨年|おととし)"),
        Template("weekend_last", "(?:先週末|先週の週末)"),
        Template("weekend_this", "(?:今週末|この週末)"),
        Template("weekday", "(?:前の|先日の)?{weekday}(?:の?{part})?"),
        Template("date", "(?:{year}年)?{mm}月{day}日"),
        Template("month", "(?:{year}年の?)?(?P<mm>0?[1-9]|1[0-2])月(?![曜\\d])"),
        Template("season_last", "(?:去年|昨年)の{season}"),
        Template("year", "{year}年"),
    ),
    before_plain="",
    after_since="以降|以来|から",
    after_after="の?後|より後",
    after_until="以前|より前|の?前",
    after_through="まで",
    after_plain="に|の|は",
    joins="から|と|〜|～|-",
    closes="までの間に?|まで(?:に|の)?|の間に?",
    never_before="毎|毎週|来|翌|次の",
    whole_day="朝から晩まで|朝から夜まで|一日中",
)
