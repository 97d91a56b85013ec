"""Chinese words of time: the common ones."""

from __future__ import annotations

from typing import cast

from memoryd.router.calendar import Part, Season, Unit
from memoryd.router.timewords.table import Template, TimeWords, kinds, numbered

_DATE = "(?:{year}年)?{mm}月{day}[日号]"

CHINESE = TimeWords(
    code="zh",
    spaced=False,
    numbers=numbered("1 一", "2 两 二", "3 三", "4 四", "5 五", "6 六", "7 七", "8 八", "9 九", "10 十", "12 十二"),
    units=cast(
        "dict[str, Unit]",
        kinds(
            "minute 分钟",
            "hour 小时 个小时",
            "day 天 日",
            "week 周 个星期 星期 个礼拜",
            "month 个月",
            "quarter 个季度",
            "year 年",
        ),
    ),
    relative=numbered("0 今天 今日", "-1 昨天 昨日", "-2 前天", "-3 大前天"),
    weekdays=numbered(
        "0 周一 星期一 礼拜一",
        "1 周二 星期二 礼拜二",
        "2 周三 星期三 礼拜三",
        "3 周四 星期四 礼拜四",
        "4 周五 星期五 礼拜五",
        "5 周六 星期六 礼拜六",
        "6 周日 周天 星期日 星期天 礼拜天",
    ),
    months=numbered(
        "1 一月",
        "2 二月",
        "3 三月",
        "4 四月",
        "5 五月",
        "6 六月",
        "7 七月",
        "8 八月",
        "9 九月",
        "10 十月",
        "11 十一月",
        "12 十二月",
    ),
    bound_units=cast("dict[str, Unit]", kinds("month 月", "quarter 季度")),
    other=("昨", "去年", "今年", "前年", "周末", "几"),
    parts=cast(
        "dict[str, Part]",
        kinds("morning 早上 上午 早晨 早", "noon 中午", "afternoon 下午", "evening 晚上 傍晚 晚", "night 夜里 夜晚"),
    ),
    seasons=cast("dict[str, Season]", kinds("spring 春天", "summer 夏天", "autumn 秋天", "winter 冬天")),
    templates=(
        Template("relative", "{relative}的?{part}"),
        Template("relative", "{relative}"),
        Template("part_today", "今(?P<part>早|晚)"),
        Template("last_night", "昨[晚夜]"),
        Template("ago", "{n}{unit}(?:以前|之前|前)"),
        Template("ago_range", "几{unit}(?:以前|之前|前)|前几天"),
        Template("last_n", "(?:过去|最近|近)的?{n}{unit}"),
        Template("last_range", "(?:过去|最近|这)几{unit}"),
        Template("weekday_in", "上(?:个)?{weekday}"),
        Template("unit_at", "上上(?:个)?(?:周|星期)"),
        Template("unit_last", "上(?:一)?(?:个)?(?P<unit>周|星期|礼拜|月|季度)(?![一二三四五六日天末])"),
        Template("unit_this", "(?:这|本)(?:一)?(?:个)?(?P<unit>周|星期|礼拜|月|季度)(?![一二三四五六日天末])"),
        Template("year_named", "(?P<which>去年|今年|前年)"),
        Template("weekend_last", "上(?:个)?周末"),
        Template("weekend_this", "(?:这|本)(?:个)?周末"),
        Template("weekday", "{weekday}(?:{part})?"),
        Template("date", _DATE),
        Template("month", "{year}年(?P<mm>0?[1-9]|1[0-2])月(?:份)?"),
        Template("month", "(?P<mm>0?[1-9]|1[0-2])月份?(?!\\d)"),
        Template("month", "{clear_month}份?"),
        Template("year", "{year}年"),
    ),
    before_since="自从|从|自",
    before_plain="在",
    after_since="以来|开始|起|至今|以后到现在",
    after_after="之后|以后",
    after_until="之前|以前",
    after_through="为止",
    opens="从|在",
    joins="到|至|和|-|~|～|—",
    closes="之间|期间",
    never_before="每|每个|下|下个|下周",
    whole_day="从早到晚|一整天|整天|全天",
)
