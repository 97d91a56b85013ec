"""Words that stand in every text: how common they are before a single text was seen.

A small memory cannot know from its own counts that "we", "die" or "est" say nothing: in ten entries they may stand in
one. So a background of imagined texts is added to the counts, in which the closed classes of seven languages (articles,
pronouns, prepositions, conjunctions, auxiliaries, question words) and a few verbs and nouns that go with anything stand
as often as they do in ordinary notes. With more texts of its own a memory's counts outweigh the background.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import regex

from memoryd.text.terms import term_id, terms

BACKGROUND = 1_000
"""How many texts the background stands for."""

EVERYWHERE, OFTEN, NOW_AND_THEN = 0.3, 0.12, 0.04
"""The share of texts that hold a word of each class."""

COMMON = 0.1
"""From this share on, a term tells nothing about what a text is about."""

_WORDS: Mapping[str, str] = {
    "en": """
a an and are as at be but by for had has have i in is it my not of on or our she he so that the their they this
to was we were with you your
|
about after all also am any anybody anyone anything because been before being both can can't cannot could
couldn't did didn't do does doesn't doing don't done down each either else ever every for from her here hers him
his how however i'd i'll i'm i've if instead into isn't it's its itself just let let's may me might mine more
most much must myself neither no nor now off once one only onto other ours out over own same shall should
shouldn't since some somebody someone something still such than that's theirs them themselves then there there's
these those though through too under until up upon us very wasn't we're we've weren't what what's whatever when
where whether which while who whom whose why will within without won't would wouldn't yes yet yours
|
again ago already always another around away back came come day did don't even few first found gave get gets
getting give go goes going good got happen happened happening keep kept kind know known last like little long
lot made make makes making many need new next often old people put quite rather really said say see seem seen
sometimes sort soon sure take takes taken taking tell thing things think thought time today told took two use
used uses using usually want wanted way week went work yesterday
""",
    "de": """
aber als am an auch auf aus bei das dass dem den der des die ein eine einem einen einer es für hat habe haben
ich im in ist mit nicht sich sie sind so und unser unsere von war wir zu zum zur
|
alle allem allen aller alles also andere anderen bin bis bist da dabei dadurch dafür damit danach dann daran
darauf darin darüber davon dazu dein deine denn deren dessen dich dies diese diesem diesen dieser dieses dir
doch dort du durch eben eines einige er etwas euch euer eure ihm ihn ihnen ihr ihre ihrem ihren ihrer gegen habt
hatte hatten hast hier hin hinter in indem ins ja jede jedem jeden jeder jedes jene jetzt kann kannst kein keine
keinem keinen keiner können könnte man manche mehr mein meine meinem meinen meiner mich mir muss müssen nach
nein noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit selbst sobald soll sollen sollte
sondern sonst sowie über um uns unserem unseren unserer unter vom vor wann waren warum was weil welche welchem
welchen welcher welches wem wen wenn wer werde werden wie wieder wieso will wird wo wofür woher wohin womit
worden würde würden während zwischen
|
beim bereits da drei eigentlich einfach einmal erst ersten ganz gab geben gegeben geht gemacht genau gesagt
gestern gibt ging gut heute immer kam kommen kommt lassen letzte letzten letzter lief liegt machen macht mal neu
neue neuen oft sache sagen sagt schon sehen sieht tag tun tut viel viele vielleicht weiter wenig wollen wollte
wurde wurden zeit zuerst zwei
""",
    "fr": """
a au aux avec ce ces dans de des du elle en est et il ils je l la le les ma mais mon nos notre nous on ou par
pas pour que qui sa se ses son sur un une
|
ai aie ainsi alors après as aucun aucune aussi autre autres avaient avait avant avoir avons c'est ça car cela
celle celles celui cet cette ceux chaque chez comme comment d'un d'une depuis donc dont elles encore entre es
est-ce étaient étais était étant été être eu eux fait font ici j'ai j'avais jusque là lequel laquelle les leur
leurs lors lorsque lui m'a me même mes moi n'a n'est ne ni non où oui parce pendant peu peut peuvent plus
plusieurs pourquoi puis qu'est-ce qu'il qu'elle quand quel quelle quelles quels quelque quelques quoi sans sera
seront si sommes sont sous suis ta te tes toi ton tous tout toute toutes très tu vers vos votre vous y
|
aller allé allons beaucoup bien bon bonne chose choses combien déjà dernier dernière deux dire dit dès faire
faut fois hier ici jamais jour jours maintenant mettre mis moins nouveau nouvelle nouvelles parfois pris prendre
premier rien semaine souvent temps toujours trois trop va vais veut voir vont vraiment
""",
    "es": """
a al como con de del el ella en es esta este la las lo los me mi no nos nuestra nuestro o para pero por que se
ser si son su sus un una y ya
|
algo alguien alguna algunas alguno algunos ante antes aquel aquella aquí así aún aunque cada casi contra cual
cuales cuál cuáles cuando cuándo cuanto cuánto cuántos desde donde dónde dos durante e ellas ellos entonces
entre era eran eres esa esas ese eso esos está están estaba estaban estado estar estas estos estuvo fue fueron
fui ha haber había habían han has hasta hay he hemos hizo hoy incluso le les luego más mis mientras mismo misma
mucho muchos muy nada ni ningún ninguna nosotros nuestros nuestras otra otras otro otros poco porque pues qué
quien quién quiénes sea según sí sido siempre sin sobre solo sólo somos soy suya suyo también tampoco tan tanto
te tiene tienen tengo ti tu tus toda todas todo todos tras tú unas unos usted ustedes yo
|
año ayer bien cosa cosas da dar decir dice dije dijo día días hace hacer hacemos hago haya hecho ir mejor nueva
nuevo nunca parece poner primera primero puede pueden puedo quiere quiero saber semana tener tenemos tiempo tres
usa usamos usar va vamos ver vez veces voy último última
""",
    "ru": """
а в во для до и из как к мне мы на не но о он она они от по с со так то у что это я
|
без более бы был была были было быть вам вас весь вот все всё всего вы где да даже его ее её если есть ещё еще
же за зачем здесь или им их каждый какая какие какой какую когда кого кому который которая которые кто куда ли
лишь между меня много могу может мои мой моя моей моего моему надо нам нами нас наш наша наше наши него неё нее
нет ни никто ничего них об однако очень перед под после потом потому почему при про с сам сама сами себя сейчас
сколько стал стала стали стало снова своего своей свой свою своя такой там тебя тем теперь тех того той только
том тот ты уже хотя чего чей чем через чтобы чья эта эти этих этого этой этом этот эту
|
вчера время всегда говорил говорит год день два делать дела дело другой должен должна должны идти иногда можно
найти начал нашёл новая новые новый нужно один опять последний просто раз сегодня сделал сделали сказал сказала
три хорошо хочет часто
""",
    "zh": """
的 了 是 我 在 有 不 这 那 们 你 他 她 它 和 就 也 都 个 么 吗 我们 的是
|
与 及 或 而 但 被 把 给 对 从 向 到 由 于 为 以 所 之 其 并 且 如 若 因 此 每 各 哪 谁 何 怎 什 几 多 少 很 最
更 还 又 再 才 只 已 曾 没 无 会 能 可 要 想 应 该 着 过 得 地 呢 吧 啊 呀 上 下 里 中 后 前 时 候 你们 他们
她们 自己 什么 为什 怎么 怎样 哪个 哪些 哪里 哪份 谁的 多少 时候 为了 因为 所以 但是 如果 虽然 可以 应该 不是
没有 还是 或者 以及 这个 那个 这些 那些 一个 已经 曾经 现在 之前 之后 以后 以前 然后 而是
|
一 两 二 三 去 来 做 说 看 用 让 叫 使 人 天 日 次 点 些 样 事 家 新 大 小 好 今 昨 今天 昨天 时间 事情 东西
问题 上次 上周 最近 经常 觉得 知道 开始 使用
""",
    "ja": """
した のは から ます ました です でした ない って して している いる ある する には では こと は が の を に で
と も
|
いつ なぜ どこ だれ どの どれ どう どんな なに なん なんで どうして どうやって いくら いくつ だった だったか
ので のに のを のか のが にする にした になる になった がある があった をする をした をして とは とか とき
までに まで より ため ために ように ような という といった について だけ しか など でも そして しかし また これ
それ あれ この その あの ここ そこ わたし 私 何 誰 的 なかった ません されて された される られる られた れる
たい たら なら ても ください もらい もらった てもらう んだ ですか ますか ましたか している していた なって いた
いて いない だろう でしょう うち ころ ずっと もう まだ とても かかった
|
人 日 時 今 前 後 中 上 下 今日 昨日 明日 今週 先週 前回 最近 自分 使う 使って 思う 思った 言う 言った 行く
行った 来る 来た 見る 見た やる やった できる できた
""",
}
"""By language, the three classes with a bar between them, the commonest first."""

_HAN = regex.compile(r"\p{Han}")


@dataclass(frozen=True, slots=True)
class _Shares:
    """By term, the share of texts that hold it; and the characters that are common alone."""

    of_terms: Mapping[str, float]
    characters: frozenset[str]


def background(words: Iterable[str], languages: Sequence[str]) -> dict[int, float]:
    """Return the share of ordinary texts that hold each of these terms, 0 to 1, by term id; 0 is left out.

    ``words`` are terms as :func:`memoryd.text.terms.terms` makes them in the same languages.
    """
    known = _shares(tuple(languages))
    found: dict[int, float] = {}
    for word in words:
        share = known.of_terms.get(word)
        if share is None and len(word) == 2 and known.characters.issuperset(word):
            # Two function characters side by side (the first two of 我什么时候) are no word of their own.
            share = OFTEN
        if share is not None:
            found[term_id(word)] = share
    return found


@lru_cache(maxsize=8)
def _shares(languages: tuple[str, ...]) -> _Shares:
    shares: dict[str, float] = {}
    characters: set[str] = set()
    for classes in _WORDS.values():
        for share, listed in zip((EVERYWHERE, OFTEN, NOW_AND_THEN), classes.split("|"), strict=True):
            for word in listed.split():
                for term in terms(word, languages):
                    shares.setdefault(term, share)
                if share >= COMMON and len(word) == 1 and _HAN.match(word):
                    characters.add(word)
    return _Shares(MappingProxyType(shares), frozenset(characters))
