"""Spanish: what tells a question about an event from one about standing knowledge."""

from __future__ import annotations

import re

from memoryd.router.cues import Cue, Lexicon, any_of, whole, words

IRREGULAR = any_of(
    "hice hiciste hizo hicimos hicieron fui fuiste fue fuimos fueron dije dijiste dijo dijimos dijeron tuve tuvo "
    "tuvimos "
    "tuvieron pude pudo pudimos pudieron puse puso pusimos pusieron vine vino vinimos vinieron quise quiso quisimos "
    "supe "
    "supo supimos traje trajo trajimos trajeron estuve estuvo estuvimos estuvieron anduvo anduvimos di dio dimos "
    "dieron "
    "vi vio vimos vieron hubo trajo produjo produjeron condujo introdujo introdujimos tradujo redujo redujimos cayó "
    "leyó "
    "construyó dimos"
)
PAST = (
    rf"(?:{IRREGULAR}|(?!cómo)\w{{2,}}ó|\w{{2,}}(?:aron|ieron|yeron|aste|iste|asteis|isteis)|"
    r"(?!qué|porqué|café|esté|aunqué|sé)\w{3,}(?:[^\Wui]é|[gq]ué))"
)
WE_PAST = (
    r"(?:decid|eleg|escrib|descubr|discut|sub|permit|añad|constru|introduj|ped|segu|repet|sal|part|reun|abr|"
    r"conclu|consegu|correg)imos|(?:perd|aprend|le|resolv|hab|comet|met|romp|vend|escog|respond|corr|promet)imos"
)
PARTICIPLE = (
    r"(?:\w{2,}(?:ado|ido|ído)s?|hecho|dicho|visto|escrito|puesto|roto|abierto|vuelto|resuelto|muerto|"
    r"cubierto|descubierto|devuelto|impreso)"
)
WHY = r"(?:por\s+qué|porqué|por\s+cuál\s+razón|por\s+qué\s+razón)"
CHANGE = (
    r"(?:pas|cambi|migr|adopt|abandon|reemplaz|sustitu|elimin|quit|renombr|dej|us|cre|mud|opt|retir|separ|divid|"
    r"compr|cancel|rechaz|"
    r"implement|descart|empez|termin|modific)"
)

TENSE = (
    Cue(
        whole(
            rf"(?:he|has|ha|hemos|habéis|han|había|habías|habíamos|habían|haya)(?:\s+(?:ya|nunca|siempre|"
            rf"alguna\s+vez))?\s+{PARTICIPLE}"
        ),
        "perfect: something done",
        episodic=2.5,
        group="tense",
    ),
    Cue(whole(PAST), "preterite", episodic=2.5, group="tense"),
    Cue(whole(WE_PAST), "preterite", episodic=2.25, group="tense"),
    Cue(
        whole(r"(?:(?<!por )qué|cuándo|quién|quiénes|cuál|cuáles|dónde|cuánto)(?:\s+\w+){0,3}\s+\w{3,}amos"),
        "past tense of we, by the form of the question",
        episodic=2.0,
        group="tense",
    ),
    Cue(
        whole(
            r"era|eras|éramos|eran|iba|íbamos|iban|\w{2,}(?:aba|abas|ábamos|aban)|(?:ten|hac|hab|pod|quer|dec|viv|"
            r"sab|ve|sol|exist|funcion|"
            r"corr|uti)ía(?:s|mos|n)?"
        ),
        "imperfect",
        episodic=2.0,
        group="tense",
    ),
    Cue(
        whole(
            "es|son|soy|eres|somos|está|están|estoy|estamos|hay|puede|pueden|puedo|podemos|podría|debe|deben|debo|"
            "debemos|debería|"
            "deberíamos|tiene|tienen|tengo|tenemos|hace|hacemos|hago|usa|usan|usamos|uso|significa|funciona|va|van|"
            "vive|gusta|"
            "depende|dependen|se\\s+\\w+(?:e|a|en|an)"
        ),
        "present tense",
        semantic=1.75,
        group="tense",
    ),
    Cue(
        re.compile(r"^\w+(?:\s+\w+){2,}\s*\?"),
        "a yes-no question without a past tense",
        semantic=1.0,
        group="tense-none",
    ),
    Cue(
        re.compile(
            rf"(?<!\w)(?:qué|quién|quiénes|cuál|cuáles|dónde|cuándo|cómo|cuánto|cuántos|cuántas|cuánta|{WHY})(?!\w)|^¿"
        ),
        "a question without a past tense",
        semantic=1.25,
        group="tense-none",
    ),
)
FORM = (
    Cue(
        whole("cuándo (?:se )?(?:debe|deben|debo|debería|hay que|puede|conviene)"),
        "asks when something applies",
        semantic=1.5,
        group="form",
    ),
    Cue(
        whole(
            "cómo (?:se(?! \\w+(?:ó|aron|ieron)\\b)|puedo|podemos|debo|hago|hacer|hacemos|funciona|\\w{2,}o(?=\\s)|"
            "\\w{2,}amos|\\w+(?:ar|er|ir))"
        ),
        "asks how something is done",
        semantic=1.5,
        group="form",
    ),
    Cue(whole("cuántas veces|hace cuánto"), "counts events", episodic=1.0, group="form"),
)
TIME = (
    Cue(whole("(?:la )?(?:última|primera|otra|anterior) vez|alguna vez"), "one occasion among several", episodic=1.75),
    Cue(
        whole(
            r"últim[oa]s? (?:sesi\w+|reuni\w+|conversaci\w+|despliegues?|versi\w+|cambios?|migraci\w+|caídas?|"
            r"commits?|intentos?|viajes?|"
            r"decisi\w+|trabajos?|entradas?|actualizaci\w+)"
        ),
        "a past occasion",
        episodic=1.75,
    ),
    Cue(
        whole(
            "recientemente|últimamente|anteriormente|previamente|antes(?=\\s*[?.!]*$)|hasta ahora|hace poco|hace un "
            "rato|en su momento|"
            "originalmente|inicialmente|el otro día"
        ),
        "an adverb of the past",
        episodic=1.5,
    ),
    Cue(whole("ya|jamás"), "asks whether it happened", episodic=0.75),
    Cue(
        whole(
            "siempre|normalmente|usualmente|habitualmente|actualmente|ahora|cada|por defecto|en general|generalmente|"
            "todavía|aún"
        ),
        "an adverb of the present or of habit",
        semantic=1.0,
    ),
)
NOUNS = (
    Cue(
        whole("sesión|sesiones|reunión|reuniones|conversación|conversaciones|discusión|incidentes?|caídas?|commits?"),
        "a word for events",
        episodic=0.9,
    ),
    Cue(whole("decisión|decisiones"), "a word for events", episodic=0.5),
    Cue(
        whole(
            "convención|convenciones|reglas?|política|norma|normas|principios?|preferencias?|definición|diferencia|"
            "significado|propósito|"
            "arquitectura|responsable|permitido|recomendad[oa]|favorit[oa]s?|lista de verificación"
        ),
        "a word for standing knowledge",
        semantic=0.9,
        group="noun",
    ),
    Cue(re.compile(r"^(?:explica|explícame|describe|define|compara)(?!\w)"), "asks for an explanation", semantic=2.0),
    Cue(re.compile(r"^(?:resume|resúmeme)(?!\w)"), "asks for an account", episodic=0.75),
)
BOTH = (
    Cue(
        whole(
            rf"{WHY}(?:\s+\w+){{0,4}}?\s+(?:{CHANGE}(?:amos|é|ó|aron|aste|imos)|eleg\w+imos|escogimos|decid\w+imos|"
            rf"eligi(?:ó|eron)|decidi(?:ó|eron)|"
            r"hicimos|fuimos|introdujimos|pusimos|escribimos|\w+imos|sustituyó|(?:hemos|han|ha|he|has|había|"
            r"habían)\s+(?:\w+\s+)?(?:cambiado|pasado|"
            r"elegido|dejado|abandonado|migrado|adoptado|decidido|eliminado|reemplazado|sustituido|quitado|"
            r"renombrado|retirado))"
        ),
        "a past choice and its reason",
        both=True,
    ),
    Cue(
        whole(
            rf"{WHY}\s+(?:se|fue|fueron)\s+(?:{CHANGE}(?:ó|aron|ad[oa]s?)|eligió|elegid[oa]s?|decidió|eliminó|"
            rf"introdujo|hizo|hech[oa])"
        ),
        "a past act and its reason",
        both=True,
    ),
    Cue(
        whole(
            r"cómo (?:se )?(?:llegó|llegamos|llegaron|ha llegado|hemos llegado|terminó|terminamos|acabó|acabamos|"
            r"evolucionó|ha evolucionado|surgió|nació|"
            r"se convirtió|se volvió)(?: .*)?"
        ),
        "how something came to be as it is",
        both=True,
    ),
    Cue(
        whole(
            "(?:la |una |su )?(?:historia|evolución|trayectoria) (?:de|del|detrás)|(?:el )?origen (?:de|del)|trasfondo"
        ),
        "the story of something",
        both=True,
    ),
    Cue(
        whole(
            r"(?:razón|razones|motivos?|motivación) (?:de|del|para|por|detrás) (?:\S+ ){0,4}?(?:cambio|paso|elección|"
            r"decisión|migración|abandono|"
            r"reemplazo|eliminación|cambiar|elegir|dejar)"
        ),
        "a change and its reason",
        both=True,
    ),
    Cue(whole(rf"qué nos (?:llevó|hizo|convenció|impulsó).*|{WHY} ya no"), "what led people to a choice", both=True),
    Cue(whole("desde cuándo|cuándo y por qué|por qué y cuándo"), "a date and a standing fact", both=True),
    Cue(whole("todo (?:sobre|lo que sabemos)"), "asks for all that is known", both=True),
)

_STARTS = (
    r"(?:¿)?(?:qué|quién|quiénes|cuál|cuáles|dónde|cuándo|cómo|cuánto|cuántos|cuántas|por qué|desde cuándo|"
    r"hemos|ha|han|en qué|de quién|se puede|es|son|fue)(?!\w)"
)

SPANISH = Lexicon(
    code="es",
    name="Spanish",
    function_words=words(
        "el la los las un una unos unas de del y o es son está están fue era que qué quién quiénes cuál cuáles dónde "
        "cuándo "
        "cómo cuánto cuántos cuántas por para con en al se lo le nos me te su sus mi mis nuestro nuestra no ya hay "
        "hemos han ha he "
        "ayer sobre este esta esto desde hasta cada muéstrame dime"
    ),
    marks=frozenset("ñ¿¡áíóú"),
    cues=(*TENSE, *FORM, *TIME, *NOUNS, *BOTH),
    opening=re.compile(
        r"^¿?(?:(?:por favor|hola|oye|bueno|entonces|y|ok)[,:]?\s+)*"
        r"(?:(?:puedes|podrías|me puedes) (?:decirme|mostrarme|recordarme|explicarme|decir)\s+|(?:dime|muéstrame|"
        r"recuérdame|cuéntame)\s+|"
        r"(?:sabes|recuerdas)\s+|quiero saber\s+)?"
    ),
    joint=re.compile(rf"(?:\s*[,;]\s*|\s+)(?:y|pero|o|e)\s+(?={_STARTS})|[?;.!]+\s*(?={_STARTS})|,\s+(?={_STARTS})"),
    asking=re.compile(
        r"(?<!\w)(?:qué|quién|quiénes|cuál|cuáles|dónde|cuándo|cómo|cuánto|cuántos|cuántas|hemos|ha|han|es|son|se|"
        r"fue|explica|resume|muestra|lista)(?!\w)|¿"
    ),
    tail=re.compile(
        r",?\s*(?:y|o|pero)\s+(?:(?P<why>por qué(?: no)?)|(?P<since>desde cuándo)|(?P<other>cuándo|dónde|cómo|quién|"
        r"por quién))\s*[?.!]*$"
    ),
    back=whole(
        "lo|eso|esto|esos|esas|ese|esa|este|esta|él|ella|ellos|ellas|ello|su|sus|le|les|allí|la última vez|última vez"
    ),
    decision=whole(r"decid\w*|decisión|decisiones|eleg\w+|elig\w+|elección|escog\w+|acord\w+|opt(?:ó|amos)"),
    hollow=words(
        "a al anoche aprendimos con cosas cuál cuándo de decidimos decidí decisión decisiones "
        "del desde dime discutimos día días dónde "
        "el en entre entradas entrada "
        "era es esa ese eso esta estaba estábamos este esto estuve estuvimos fue ha hablamos había haciendo han "
        "hasta hay he hecho hemos hice "
        "hicimos hiciste hizo la las lo los mañana me mi mis mostrar muestra nos nosotros noche ocurrió pasa pasado "
        "pasó por que qué "
        "quién registro resume resumen se sesiones sesión sobre sucedió su tarde te todo todos trabajaba trabajamos "
        "trabajando trabajé tu "
        "un una y yo logramos terminamos terminé hoy muéstrame cómo durante cuéntame"
    ),
)
