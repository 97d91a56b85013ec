"""Japanese: what tells a question about an event from one about standing knowledge.

The tense stands at the end of the clause, in the last verb or in the copula.
"""

from __future__ import annotations

import re

from memoryd.router.cues import Cue, Lexicon, words


def _find(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_END = r"(?=\s*(?:[？?。、,!！]|$))"
_ASK = r"(?:の|ん)?(?:です|だ|でしょう|だろう)?(?:か|かな|っけ|け|の|よ|ね)?"
_PAST = (
    r"(?:ました|でした|だった|かった|[いきしちりみびぎじえけせてねべめれげっんたあか\u4e00-\u9fff]た|[んい]だ)"
    rf"{_ASK}{_END}"
)
_CHANGE = (
    r"(?:移行|変更|変え|切り替え|乗り換え|選|採用|採択|廃止|やめ|止め|捨て|削除|置き換え|導入|分割|書き直|"
    r"改名|移し|移っ|決め|決定|使うの?をやめ)"
)
_WHY = r"(?:なぜ|何故|どうして|なんで|何で(?!す))"

JAPANESE = Lexicon(
    code="ja",
    name="Japanese",
    function_words=words("は が を に の で と も か"),
    marks=frozenset(),
    cues=(
        Cue(_find(_PAST), "past tense", episodic=2.25, group="tense"),
        Cue(
            _find(
                r"た(?:の|こと|もの)は|たか(?:を|どうか)|(?:し|っ|い|ん|き|り)[ただ](?:人|方|ファイル|時|とき|内容|理由|結果|[一-鿿]{1,6})(?:は|を|が)"
            ),
            "a past tense before a noun",
            episodic=2.25,
            group="tense",
        ),
        Cue(_find(r"たこと(?:が|は)?(?:あ|な)|っけ"), "asks whether it happened", episodic=1.5),
        Cue(
            _find(
                r"昨日|昨晩|昨夜|一昨日|おととい|きのう|先週|先月|先々週|先日|去年|昨年|一昨年|前回|前に|以前|この前|この間|さっき|先ほど|当時|かつて|最近|これまで|今まで|過去|前年|今朝"
            ),
            "a time in the past",
            episodic=1.75,
        ),
        Cue(_find(r"何回|何度"), "counts events", episodic=0.75),
        Cue(
            _find(r"セッション|会議|ミーティング|会話|議論|障害|コミット|出来事|打ち合わせ|作業履歴|ログ(?!イン)"),
            "a word for events",
            episodic=0.75,
        ),
        Cue(
            _find(
                rf"(?:ます|です|ません|る|う|く|ぐ|す|つ|ぬ|む|ぶ|い|だ|べき|である){_ASK}{_END}|ている{_ASK}{_END}|は{_END}|とは"
            ),
            "present tense",
            semantic=1.5,
            group="tense",
        ),
        Cue(
            _find(r"何|なに|誰|だれ|どれ|どの|どこ|どう|いつ|なぜ|いくら|いくつ"),
            "a question without a past tense",
            semantic=1.0,
            group="tense-none",
        ),
        Cue(
            _find(r"とは|どういう意味|何ですか|なんですか|って何"),
            "asks what something is",
            semantic=1.25,
            group="form",
        ),
        Cue(
            _find(r"どうやって|どのように|どうすれ|やり方|方法|手順|どうやる|仕組み|使い方"),
            "asks how something is done",
            semantic=1.25,
            group="form",
        ),
        Cue(
            _find(r"べき|すれば|してもいい|てもいい|必要|できますか|できる(?:の|か)|いけません"),
            "asks what applies",
            semantic=1.5,
            group="modal",
        ),
        Cue(
            _find(
                r"違い|定義|規約|規則|ルール|方針|原則|好み|好き|担当|責任者|意味|目的|仕様|構成|推奨|デフォルト|既定"
            ),
            "a word for standing knowledge",
            semantic=0.9,
        ),
        Cue(
            _find(r"いつも|普段|通常|毎[日週月年回]|現在|今の|まだ|一般に"),
            "an adverb of the present or of habit",
            semantic=1.0,
        ),
        Cue(_find(r"(?:説明|定義|比較)して"), "asks for an explanation", semantic=2.0),
        Cue(_find(r"まとめて|振り返"), "asks for an account", episodic=0.75),
        Cue(_find(rf"{_WHY}[^、。？?]*{_CHANGE}[^、。？?]*(?:た|だ)"), "a past choice and its reason", both=True),
        Cue(
            _find(
                rf"{_WHY}[^、。？?]*(?:こうな|このように|こんな)[^、。？?]*(?:た|だ)|どう(?:して|やって)(?:こう|ここ)"
            ),
            "how something came to be as it is",
            both=True,
        ),
        Cue(
            _find(r"経緯|歴史|由来|いきさつ|成り立ち|変遷|背景(?=を|は|$|に|と)|沿革"),
            "the story of something",
            both=True,
        ),
        Cue(
            _find(
                rf"{_CHANGE}[^、。？?]*(?:理由|わけ|動機|決め手)|(?:理由|わけ|動機)[^、。？?]*{_CHANGE}[^、。？?]*(?:た|だ)"
            ),
            "a change and its reason",
            both=True,
        ),
        Cue(_find(r"いつから"), "a date and a standing fact", both=True),
    ),
    opening=re.compile(r"^(?:すみません|ねえ|あの|ところで|では|じゃあ)[、,]?\s*"),
    joint=re.compile(r"[、,；;？?！!。]\s*|(?:そして|また|それから|それと|および)"),
    asking=re.compile(
        r"何|なに|なん|誰|だれ|どれ|どの|どこ|どう|いつ|なぜ|いくら|いくつ|仕組み|使い方|方法|手順|違い|か(?=[？?。、]|$)|教えて|見せて|説明"
    ),
    tail=re.compile(
        r"(?:、|と|か)?(?:その)?(?:(?P<why>理由(?:は|も)?|なぜ(?:ですか)?)|(?P<since>いつから(?:ですか)?)|(?P<other>いつ(?:ですか)?))\s*[？?。]?$"
    ),
    back=re.compile("それ|これ|あれ|その|この|そこ|ここ|彼|最後に|前回"),
    decision=re.compile(r"決め|決定|選|採用|合意"),
    hollow_runs=re.compile(
        r"私たち|わたしたち|私|僕|俺|我々|あなた|みんな|何|なに|なん|は|が|を|に|の|で|と|も|か|へ|や|しました|していました|していた|した|して|する|し|ましたか|ました|"
        r"ましょう|起きた|起きました|起こった|起こりました|あった|ありました|やった|やりました|やって|いた|いました|こと|もの|作業|仕事|全部|すべて|教えて|ください|見せて|"
        r"まとめて|話した|話しました|話し|学んだ|学びました|決めた|決めました|決め|決定|議論|出来事|です|だ|っけ|たの|ん|中|間|一日|朝|夜|昼|から|まで|った|ていた"
    ),
)
