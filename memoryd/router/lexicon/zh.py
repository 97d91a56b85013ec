"""Chinese: what tells a question about an event from one about standing knowledge.

Chinese verbs have no tense; aspect particles (了, 过), words of time and the frame 是…的 do their work.
"""

from __future__ import annotations

import re

from memoryd.router.cues import Cue, Lexicon, words

_HAN = r"[\u3400-\u9fff]"


def _find(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_CHANGE = (
    r"(?:换|切换|改用|改成|改为|迁移|迁到|选择|选了|选用|选|采用|放弃|弃用|移除|删除|去掉|替换|引入|拆分"
    r"|重写|改名|重命名|停用|转向|转到|决定)"
)
_DONE = r"(?<!除)(?<!为)(?<![受罢])了(?!解|如指掌|然)"
_EVER = r"(?<![通不经超路渡错难])过(?![程滤期渡度去来敏拟载头分多高低大])"

CHINESE = Lexicon(
    code="zh",
    name="Chinese",
    function_words=words("的 了 是 吗 什么 怎么 为什么 我们"),
    marks=frozenset(),
    cues=(
        Cue(_find(rf"{_HAN}{_DONE}"), "了: something completed", episodic=1.75, group="aspect"),
        Cue(_find(rf"{_HAN}{_EVER}"), "过: something experienced", episodic=2.0, group="aspect"),
        Cue(
            _find(
                r"是(?:谁|什么时候|何时|哪天|在哪|怎么|如何|由谁|哪位)[^，,；;]*的(?=\s*[？?。]?\s*$)|(?:谁|什么时候|何时|"
                r"哪天)[^，,；;是]{1,8}的(?=\s*[？?。]?\s*$)|"
                r"是谁[^，,；;]{2,8}的|的是(?:谁|什么时候|哪天)"
            ),
            "是…的: who did it, or when",
            episodic=2.75,
            group="form",
        ),
        Cue(
            _find(
                r"昨[天晚日]|前天|前晚|刚才|刚刚|上(?:一)?次|上回|上(?:个)?(?:周|月|星期|礼拜|季度)|去年|前年|当时|当初|以前|之前|从前|曾经?|此前|先前|最近|近来|前几天|前些|"
                r"早些时候|到目前为止|至今"
            ),
            "a time in the past",
            episodic=1.75,
        ),
        Cue(_find(r"已经|有没有[^，]*过|是否[^，]*过"), "asks whether it happened", episodic=0.75),
        Cue(_find(r"几次|多少次"), "counts events", episodic=1.0),
        Cue(_find(r"发生|讨论|聊到|聊过|提到|会话|会议|记录|日志|出过|遇到"), "a word for events", episodic=0.9),
        Cue(_find(r"在(?:做|干|忙|弄|搞)什么"), "what someone was doing", episodic=1.25),
        Cue(
            _find(r"什么是|是什么|是啥|何谓|什么意思|是多少|是哪"),
            "asks what something is",
            semantic=1.75,
            group="form",
        ),
        Cue(_find(r"如何|怎么(?!会)(?!变)|怎样|怎么样|咋"), "asks how something is done", semantic=1.5, group="form"),
        Cue(_find(r"为什么|为何|为啥|干嘛"), "asks for a reason", semantic=1.5, group="form"),
        Cue(
            _find(r"应该|应当|该不该|要不要|必须|需要|可以|能否|能不能|可不可以|是否|允许|会不会"),
            "asks what applies",
            semantic=1.5,
            group="modal",
        ),
        Cue(
            _find(r"谁|哪|什么|多少|几|多久|多长|吗|呢|嘛|有没有"),
            "a question without an aspect particle",
            semantic=1.0,
            group="plain",
        ),
        Cue(
            _find(r"区别|定义|规范|约定|规则|惯例|原则|偏好|喜欢|负责|含义|用途|架构|默认|推荐|方法|步骤|流程|策略"),
            "a word for standing knowledge",
            semantic=0.9,
        ),
        Cue(
            _find(r"通常|一般|总是|每(?:天|周|次|月|个)|目前|现在|平时|仍然|还在"),
            "an adverb of the present or of habit",
            semantic=0.75,
        ),
        Cue(_find(r"^(?:解释|说明|介绍|比较|描述)"), "asks for an explanation", semantic=2.0),
        Cue(_find(r"^(?:总结|回顾|概括)"), "asks for an account", episodic=0.75),
        Cue(
            _find(
                rf"(?:为什么|为何|为啥|当初|怎么会)[^，,；;？?]*(?:从[^，,；;？?]*{_CHANGE}|{_CHANGE}[^，,；;？?]*{_DONE}|"
                rf"{_DONE}[^，,；;？?]*{_CHANGE})|"
                rf"(?:为什么|为何|为啥)(?:当初|当时|要|会|我们|你们|我们要|我们会)*{_CHANGE}|(?:当初|当时)(?:我们|你们|大家)?(?:为什么|为何|怎么会|为啥)"
            ),
            "a past choice and its reason",
            both=True,
        ),
        Cue(
            _find(r"(?:怎么|如何|怎样|为什么|为何)(?:会)?(?:变成|演变|发展成|走到|成为|弄成|搞成|沦为|形成)"),
            "how something came to be as it is",
            both=True,
        ),
        Cue(
            _find(r"历史|来历|由来|来龙去脉|演变|历程|前因后果|始末|背后的故事|缘起"),
            "the story of something",
            both=True,
        ),
        Cue(
            _find(rf"{_CHANGE}[^，,；;？?]*的(?:原因|理由|动机)|(?:不再|为什么没有再|为什么不用了)"),
            "a change and its reason",
            both=True,
        ),
        Cue(_find(r"从什么时候(?:开始|起)|从何时(?:开始|起)"), "a date and a standing fact", both=True),
    ),
    opening=re.compile(
        r"^(?:请问|请|麻烦|帮我|给我|告诉我|你(?:还)?记得|还记得|能告诉我|能不能告诉我|我想知道|想问一下)[，,：:]?\s*"
    ),
    joint=re.compile(r"[，,；;？?！!。]\s*|(?:以及|并且|而且|还有|另外|同时)"),
    asking=re.compile(r"什么|谁|哪|怎|为何|如何|几|多少|多久|多长|吗|呢|是否|有没有|何时|能否"),
    tail=re.compile(
        r"[，,]?\s*(?:(?P<why>(?:以及|和|并且)?(?:为什么|为何))|(?P<since>从什么时候开始)|(?P<other>(?:以及|和)(?:什么时候|谁)))\s*[？?。]?$"
    ),
    back=re.compile("[它他她其]|这|那|上(?:一)?次|最后"),
    decision=re.compile(r"决定|选择|选了|选定|敲定|商定|达成"),
    hollow_runs=re.compile(
        r"我们|我|你们|你|咱们|大家|他们|的|了|过|吗|呢|嘛|在|都|有|哪些|哪|什么|啥|做|干|忙|弄|事情|事|发生|请|告诉|给|总结|一下|回顾|讨论|聊|学到|学|"
        r"决定|工作|些|是|记录|会话|内容|全部|所有|具体|整天|一整天|从早到晚|期间|里|中|上午|下午|晚上|早上|和|吧|完成|呀|啊"
    ),
)
