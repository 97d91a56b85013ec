"""Japanese words of time: the common ones."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, han_numbers, kinds, named_days, numbered

JAPANESE = TimeWords(
    code="ja",
    spaced=False,
    numbers=han_numbers(),
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
    bound_units=cast(
        "dict[str, Unit]", kinds("week 週 先週 今週 先々週", "month 先月 今月 先々月 月", "quarter 前四半期 今四半期")
    ),
    other=("先日", "この", "昨", "去年", "今年", "おととし", "ゆうべ", "数", "月"),
    parts=cast(
        "dict[str, Part]", kinds("morning 朝 午前 今朝", "noon 昼", "afternoon 午後", "evening 夕方 夜 晩 今夜 今晩")
    ),
    seasons=cast("dict[str, Season]", kinds("spring 春", "summer 夏", "autumn 秋", "winter 冬")),
    ordinals=numbered("1 一 1", "2 二 2", "3 三 3", "4 四 4"),
    halves=numbered("1 上半期 上期 前半", "2 下半期 下期 後半"),
    thirds=numbered("0 初め 始め 初旬 上旬 初 頭", "1 中旬 半ば", "2 終わり 下旬 末"),
    named_days=named_days(
        "12-24 1 クリスマスイブ クリスマス・イブ",
        "12-25 1 クリスマス",
        "12-31 1 大晦日 大みそか",
        "01-01 1 元日 元旦",
        "01-01 3 正月 お正月",
    ),
    templates=(
        Template("half_year_ago", "半年前"),
        Template("ago_range", "先日|この間|この前"),
        Template("half", "(?:{year}年度?|(?P<which>去年|昨年|今年|一昨年))の?{half}"),
        Template("quarter", "(?:{year}年度?)?の?第{ordinal}四半期"),
        Template("week", "(?:{year}年)?の?第{week}週"),
        Template("date_range", "(?:{year}年)?{mm}月{day}日?(?:から|〜|～|-){day2}日(?:まで)?"),
        Template("month", "(?:{year}年の?)?(?P<mm>0?[1-9]|1[0-2])月の?{third}"),
        Template("unit_last", "(?P<unit>先月|前四半期)の?{third}"),
        Template("unit_this", "(?P<unit>今月|今四半期)の?{third}"),
        Template("year_named", "(?P<which>去年|昨年|今年|一昨年|おととし)の?{third}"),
        Template("year", "{year}年の?{third}"),
        Template("unit_latest", "(?P<unit>年|月)(?P<third>初め|初|末)"),
        Template("season_named", "(?P<which>去年|昨年|今年|一昨年)の{season}"),
        Template("named_day", "(?:{year}年の?)?{named_day}"),
        Template("relative", "{relative}の?{part}"),
        Template("relative", "{relative}"),
        Template("part_today", "(?P<part>今朝|今夜|今晩)"),
        Template("last_night", "昨夜|昨晩|ゆうべ"),
        Template("ago", "(?<![月年]){n}{unit}前"),
        Template("ago_range", "数{unit}前"),
        Template("last_n", "(?:過去|直近|ここ|この)の?{n}{unit}"),
        Template("last_range", "(?:過去|ここ|この)数{unit}"),
        Template("weekday_in", "先週の?{weekday}"),
        Template("unit_before_last", "(?P<unit>先々週|先々月)"),
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
