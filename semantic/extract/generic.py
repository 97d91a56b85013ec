"""Words that name nothing: headings, labels and file names that stand in any note and must not join two.

English, German and Chinese, with the French and Spanish ones that are met most.
"""

from __future__ import annotations

import re

from memoryd.text.canonical import fold_name

_WORDS = """
introduction overview summary abstract background motivation conclusion conclusions discussion results method methods
methodology notes note todo todos to do tasks task done ideas idea references reference links link sources source
further reading see also related resources resource appendix example examples usage use installation install setup
set up getting started quick start features feature faq questions question answers answer tips tip warning info hint
important context description details detail definition definitions goal goals problem problems solution solutions
status history changelog changes change log update updates version versions contents content table of contents toc
index home readme about contact license licence misc miscellaneous other general main untitled inbox archive draft
drafts template templates meeting meetings agenda attendees participants action items next steps decision decisions
outcome outcomes review reviews feedback comments comment title date name type kind tags tag author authors project
projects people person file files folder folders image images figure figures code data test tests testing output
input options option parameters parameter arguments argument configuration config settings step steps pros cons
advantages disadvantages monday tuesday wednesday thursday friday saturday sunday january february march april may
june july august september october november december today yesterday tomorrow morning evening daily weekly monthly
journal diary plan plans planning report reports aim aims purpose scope architecture design requirements
implementation evaluation quote quotes key points takeaways highlights metadata properties area areas work life
einleitung einführung überblick übersicht zusammenfassung fazit hintergrund motivation schluss ergebnis ergebnisse
methode methoden methodik notiz notizen aufgabe aufgaben erledigt ideen idee quelle quellen literatur verweise links
weiterführendes siehe auch anhang beispiel beispiele verwendung nutzung anwendung installation einrichtung fragen
frage antwort antworten hinweis hinweise wichtig kontext beschreibung einzelheiten details definition definitionen
ziel ziele problem probleme lösung lösungen stand verlauf änderungen inhalt inhaltsverzeichnis startseite sonstiges
allgemein allgemeines eingang archiv entwurf vorlage vorlagen sitzung besprechung tagesordnung teilnehmer teilnehmende
nächste schritte entscheidung entscheidungen titel datum name art schlagwörter schlagworte autor autoren autorin
projekt projekte personen person datei dateien ordner bild bilder abbildung daten ausgabe eingabe optionen schritt
schritte vorteile nachteile vor- und nachteile montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
januar jänner februar märz mai juni juli oktober dezember heute gestern morgen tagebuch plan bericht zweck funktion
umfang geltungsbereich abgrenzung voraussetzungen erstens zweitens drittens viertens pflicht optional empfohlen kern
aufbau begriff begriffe form muster grenzen arbeit leben thema themen vorgehen bemerkung anmerkung anmerkungen
introduction résumé sommaire contexte conclusion remarques exemple exemples sources tâches idées aujourd'hui
introducción resumen contexto conclusión notas ejemplo ejemplos fuentes tareas ideas hoy índice
简介 介绍 前言 序言 概述 概要 摘要 总结 小结 结论 背景 目标 目的 问题 方法 步骤 结果 讨论 笔记 备注 待办 任务
已完成 想法
灵感 参考 参考资料 参考文献 链接 相关链接 来源 延伸阅读 附录 例子 示例 举例 用法 使用 使用方法 安装 设置 配置
常见问题 疑问
答案 提示 注意 注意事项 重要 说明 描述 详情 定义 状态 历史 更新 更新日志 目录 索引 首页 主页 其他 其它 收件箱
归档 草稿 模板
会议 议程 参会人员 下一步 决定 标题 日期 名称 类型 标签 作者 项目 人物 文件 文件夹 图片 代码 数据 测试 优点 缺点
优缺点 星期一
星期二 星期三 星期四 星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五 周六 周日 今天 昨天 明天 日记 周记
月记 计划 报告
正文 内容 原文 摘录 书摘 感想 思考 反思 评论 引用 读后感 收获 今日 今日任务 今天的灵感或闪念 元数据 概念 特点
原因 优势 劣势 原则
读书笔记 读书笔记模板 观后感 影评 书评 内容简介 作者简介 我的想法 划线 高亮 关键词 相关 相关笔记 基本信息
"""
_SINGLE = frozenset(fold_name(word) for word in _WORDS.split())
_PHRASES = frozenset(
    {
        "further reading",
        "see also",
        "getting started",
        "quick start",
        "table of contents",
        "action items",
        "next steps",
        "key points",
        "key takeaways",
        "to do",
        "how to use",
        "how it works",
        "siehe auch",
        "nächste schritte",
        "vor- und nachteile",
        "offene fragen",
        "open questions",
        "was nicht reingehört",
        "pour aller plus loin",
        "lecture notes",
        "daily note",
        "daily notes",
        "meeting notes",
        "release notes",
    }
)
_NO_LETTER = re.compile(r"[\W\d_]*")
_NUMBERED = re.compile(
    r"(?:\d+(?:[.)]\d*)*\.?|[ivx]+\.|step \d+|schritt \d+|part \d+|teil \d+|chapter \d+|kapitel \d+|week \d+|day \d+|"
    r"version [\d.]+|v\d[\d.]*|phase \d+|tag \d+|woche \d+|第.{1,4}[章节步部课天周]|步骤.?)"
)
_LEAD = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?\s+|[\W_]+)")


def is_generic(name: str) -> bool:
    """Tell whether a heading, label or title is one that stands in any note, or is but a number or a date."""
    folded = fold_name(name).strip(" .:：!?？！*_#`").removesuffix(".md")
    folded = _LEAD.sub("", folded).strip()
    if not folded or _NO_LETTER.fullmatch(folded) or _NUMBERED.fullmatch(folded):
        return True
    return folded in _SINGLE or folded in _PHRASES


_CODE = """
true false none null nil undefined self this return import export const class function async await static
public private string number boolean object array integer float index value values input output result results
error errors title status created updated modified version default example options config settings master main
latest readme.md index.html index.js index.md package.json main.py app.py __init__.py requirements.txt setup.py
license makefile dockerfile .gitignore .env config.json config.yml config.toml docker sudo python python3 http
https localhost admin user users password username
"""
GENERIC_CODE = frozenset(_CODE.split())
"""Code that stands in any text on programming."""

_FILE_SUFFIXES = """
md py js ts tsx jsx mjs go rs java c h cc cpp hpp rb php swift kt sh bash zsh sql css scss html xml xsl json yaml
yml toml ini cfg csv tsv txt pdf png jpg svg ipynb r jl lua tex bib lock env db sqlite
"""
FILE_SUFFIXES = frozenset(_FILE_SUFFIXES.split())
"""How the names of files end that notes speak of."""

_USUAL_FILES = """
README INDEX CLAUDE AGENTS GEMINI SKILL CONTRIBUTING CHANGELOG SECURITY LICENSE LICENCE NOTICE CODE_OF_CONDUCT
SUPPORT GOVERNANCE MAINTAINERS TODO INSTALL HISTORY AUTHORS
"""
USUAL_FILES = frozenset(_USUAL_FILES.split())
"""File names that tools look for: any project has them, so that outside of its folder the name means none of them."""

_NO_NAMES = """
am im in on at by from with without of to for before after since until bei seit nach vor mit ohne von aus zum zur an auf
this that these those it its he she they we you i there here what which who whom whose where when why how my
our your his her their each every one some any all both most many another other such no none if as for but and or
so then now not only also just first second third finally next today more less below above everything something
nothing anything someone everyone das dies diese dieser dieses es er sie wir ihr ich man hier dort was wer wie wo
wann warum welche welcher welches jede jeder jedes alle beide einige viele mein meine unser unsere sein seine ihre
wenn als für aber und oder so dann jetzt nicht nur auch zuerst danach schließlich alles etwas nichts jemand dabei
damit dazu davon dafür daher darum hierbei hierfür c'est il elle
"""
NO_NAME = frozenset(_NO_NAMES.split())
"""Words that a sentence begins with, and no name."""
