//! Tells whether a prompt takes back what the agent just did. It errs on the side of silence: a correction that is missed
//! costs a trace, one that is invented costs trust. So a prompt counts only if it begins with a refusal, or is short and
//! contains a sentence that cannot be meant otherwise.

/// Prompts that begin with one of these refuse; `^` before a phrase means that nothing but punctuation may follow, `,`
/// that punctuation or the end must follow. One line per language.
const OPENERS: &str = "
    ,no|,nope|,nah|^no no|no not|no dont|no do not|no stop|no undo|no revert|no i|no you|no thats not|no this is not|no use|no its not
    no leave|no keep|no wait|no the other|no never|,wrong|,incorrect|,stop|^stop it|^stop that|stop doing|stop changing|stop editing
    dont do that|dont do this|dont touch|dont change that|dont change it|dont change this|dont edit|do not do that
    do not touch|i said|i told you|i asked you|i asked for|i meant|i wanted|thats not|that is not|this is not what|that was not|that wasnt
    thats wrong|that is wrong|this is wrong|its wrong|it is wrong|not like that|not like this|not that|not what i|not there|not here
    undo that|undo this|undo it|undo your|undo the last|undo these|^undo|revert that|revert this|revert it|revert your|revert the last|^revert
    roll that back|roll it back|roll this back|put it back|put that back|change it back|change that back|why did you|why would you|what have you done
    what did you do|you shouldnt have|you should not have|you were not supposed|you werent supposed|you broke|you deleted|you ignored|please undo|please revert
    never do that|please dont do that|please stop
    ,nein|nein nicht|nein das|nein ich|,falsch|das ist falsch|das war falsch|nicht so|das ist nicht|das war nicht|mach das rückgängig|rückgängig machen|mach es rückgängig|lass das|hör auf|so nicht|ich wollte|ich meinte|ich habe gesagt|warum hast du
    ,non|non pas|non ce|non je|non cest|cest faux|ce nest pas|pas comme ça|annule ça|annule ce|annule cette|arrête|je voulais|je nai pas demandé|jai dit|pourquoi as tu
    ,no eso|no eso no|eso no|eso está mal|está mal|así no|no es lo que|deshaz eso|deshaz esto|deshazlo|revierte eso|revierte esto|yo quería|te dije|por qué hiciste
    ,não|não isso|isso não|isso está errado|está errado|assim não|não é o que|não foi isso|desfaça isso|desfaz isso|eu queria|eu disse
    ,no così|non così|è sbagliato|non è quello|annulla tutto|annulla questo|annulla questa|torna indietro|volevo
    ,nee|nee dat|nee niet|dat is fout|dat klopt niet|niet zo|maak dat ongedaan|draai dat terug|ik bedoelde|ik wilde
    ,nie|nie tak|nie o to|to jest źle|to źle|cofnij to|cofnij zmiany|chodziło mi|mówiłem
    ,нет|нет не|нет это|это неправильно|это не то|не так|не надо было|верни как было|верни обратно|верни назад|отмени это|отмени изменения|я же сказал|я имел в виду|зачем ты
    ,hayır|hayır bu|bu yanlış|böyle değil|geri al|bunu geri al
    ,nej|nej inte|nej ikke|det är fel|det er feil|ångra det";

/// Beginnings in scripts without blanks between words.
const GLUED: &str = "
    不对|不是这样|不是这个|不要这样|不行|错了|你错了|这不对|这不是我|撤销|撤回|还原|改回|恢复原|别动|别改|停下|我说的是|我的意思是|为什么你
    不對|錯了|撤銷|還原|改回去|別動
    違う|違います|ちがう|いや、|いいえ|そうじゃな|そうではな|元に戻|戻して|取り消|やめて|間違って|ダメ|だめ
    아니야|아니요|아니,|아니 |틀렸|그게 아니|되돌려|원래대로|취소해|하지 마|그만
    नहीं|गलत है|यह गलत";

/// What may stand before the refusal.
const BEFORE: &str = "hey hi hm hmm hmmm uh um er oh ah eh wait hold hang on sorry so well actually please look ok
    okay hallo also moment bitte halt alors mais bon espera pero por favor mas aspetta ma нет-нет ну";

/// What makes an opener harmless: agreement right behind it.
const AGREEING: &str = "thanks thank thx problem problems worries worry need needs fine good great perfect nice okay ok
    hurry rush rest matter idea questions question bother thats danke gut passt perfekt super problemo merci parfait bien
    gracias perfecto bene grazie obrigado спасибо хорошо";

/// Sentences that refuse wherever they are in a short prompt.
const ANYWHERE: &str = "
    not what i asked|not what i wanted|not what i meant|not what i said|i didnt ask for|i did not ask for|i didnt ask you|i did not ask you
    back to how it was|back the way it was|undo those changes|undo your|undo these changes|undo the change
    revert your|revert those changes|revert these changes|revert this change|dont do that again|never do that again
    nicht was ich|wieder rückgängig|so war das nicht|pas ce que j|remets comme|no es lo que|no era lo que|como estaba antes|não era isso|não foi o que
    non è quello che|niet wat ik|не то что я|верни как было|nie o to mi|istediğim bu değil|inte det jag";

/// The first words of conditions and tasks.
const TASKS: &str = "if when whenever unless add also build check create describe document ensure explain fix handle
    implement let make name now print rename say show support test then use wenn falls si quand cuando se als если";

/// How long a prompt may be that is searched, in words, and how many of its first words are.
const SHORT: usize = 30;
const FIRST: usize = 14;

/// Returns true if the prompt takes back what was done before it.
pub(super) fn negates(prompt: &str) -> bool {
    let text = prompt.trim().to_lowercase();
    if text.starts_with(['/', '<', '{', '[', '#']) {
        // A command, or what a program wrote.
        return false;
    }
    let glued = |phrase: &str| text.starts_with(phrase);
    if phrases(GLUED).any(glued) {
        return true;
    }
    let words = Word::all(&text);
    let before: Vec<&str> = BEFORE.split_whitespace().collect();
    let skip = words.iter().take_while(|word| before.contains(&word.text.as_str())).count();
    // A lone "wait" is a beginning, too, but nobody knows of what.
    let rest = &words[skip.min(words.len())..];
    opens(rest) || words.len() <= SHORT && is_inside(&words[..words.len().min(FIRST)])
}

fn phrases(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().flat_map(|line| line.trim_start().split('|')).filter(|phrase| !phrase.is_empty())
}

fn opens(words: &[Word]) -> bool {
    let agreeing: Vec<&str> = AGREEING.split_whitespace().collect();
    phrases(OPENERS).any(|phrase| {
        let bare = phrase.trim_start_matches(['^', ',']);
        let length = bare.split(' ').count();
        let Some(found) = words.get(..length).filter(|found| bare.split(' ').eq(found.iter().map(|w| w.text.as_str())))
        else {
            return false;
        };
        let is_last = words.len() == length;
        let is_marked = found.last().is_some_and(|word| word.ends);
        // The rest of the sentence, as far as it can change what its beginning means.
        let end = words[length..].iter().position(|word| word.ends).map_or(words.len(), |at| length + at + 1);
        let behind = words[length..end].iter().take(3);
        let agrees = behind.clone().any(|word| agreeing.contains(&word.text.as_str()))
            && !behind.clone().any(|word| is_not(&word.text));
        let fits = match phrase.as_bytes().first() {
            Some(b'^') => is_last,
            Some(b',') => is_last || is_marked,
            _ => true,
        };
        fits && !agrees
    })
}

/// Looks into each sentence. A question asks, a condition supposes and a task describes: they take nothing back.
fn is_inside(words: &[Word]) -> bool {
    words.split_inclusive(|word| word.ends).any(|sentence| {
        let start = sentence.iter().find(|word| !BEFORE.split_whitespace().any(|before| before == word.text));
        let supposes = start.is_some_and(|word| TASKS.split_whitespace().any(|task| task == word.text));
        let asks = sentence.last().is_some_and(|word| word.asks);
        let has = |phrase: &str| {
            let wanted: Vec<&str> = phrase.split(' ').collect();
            let same = |window: &[Word]| window.iter().map(|word| word.text.as_str()).eq(wanted.iter().copied());
            sentence.windows(wanted.len()).any(same)
        };
        !asks && !supposes && phrases(ANYWHERE).any(has)
    })
}

fn is_not(word: &str) -> bool {
    matches!(
        word,
        "not"
            | "isnt"
            | "wasnt"
            | "nicht"
            | "pas"
            | "non"
            | "no"
            | "não"
            | "niet"
            | "не"
            | "but"
            | "aber"
            | "mais"
            | "pero"
    )
}

/// A word without apostrophes, and what follows it.
struct Word {
    text: String,
    /// Punctuation, or nothing, follows.
    ends: bool,
    /// A question mark follows.
    asks: bool,
}

impl Word {
    fn all(text: &str) -> Vec<Self> {
        let apart = text.replace(['—', '–', '…'], ", ");
        let word = |token: &str| {
            let text: String = token.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
            let ends = token.ends_with([',', '.', '!', ';', ':', '?', ')', '。', '！']);
            Self { text: text.trim_matches('-').to_owned(), ends, asks: token.ends_with('?') }
        };
        apart.split_whitespace().map(word).filter(|word| !word.text.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEGATING: &[&str] = &[
        "no",
        "No.",
        "no, use the other file",
        "No! Not in main.rs",
        "nope, wrong file",
        "no don't change the schema",
        "no, that's not right",
        "No I meant the client, not the server",
        "wrong",
        "wrong, the port is 8080",
        "that's wrong",
        "That is wrong. Use the existing helper.",
        "that's not what I asked for",
        "this is not what I wanted",
        "undo that",
        "undo",
        "please undo",
        "revert",
        "revert that please",
        "Revert your last change",
        "please revert this change",
        "put it back",
        "change it back",
        "roll it back",
        "stop",
        "Stop! don't touch the migrations",
        "stop doing that",
        "don't do that",
        "don't touch the config",
        "do not touch generated files",
        "I said use sqlite",
        "I told you not to edit the lock file",
        "I asked for tests, not for a rewrite",
        "I meant the other function",
        "not like that",
        "not what I meant",
        "why did you delete the tests?",
        "you shouldn't have changed the API",
        "you broke the build",
        "you deleted my comments",
        "wait, no, not that file",
        "hmm, that's wrong",
        "hey stop",
        "I didn't ask for a new dependency",
        "we should not have two parsers, undo those changes",
        "Nein, nicht so",
        "nein",
        "Das ist falsch",
        "Mach das rückgängig",
        "non",
        "Non, pas comme ça",
        "annule ça",
        "c'est faux",
        "no, eso no",
        "eso está mal",
        "deshaz eso",
        "não, isso está errado",
        "così no, è sbagliato: non è quello che volevo",
        "nee, dat klopt niet",
        "нет",
        "нет, не так",
        "верни как было",
        "hayır, bu yanlış",
        "不对，应该用另一个文件",
        "撤销",
        "違う、そのファイルじゃない",
        "元に戻して",
        "아니야 그 파일이 아니고",
        "नहीं, यह गलत है",
    ];

    const CONTINUING: &[&str] = &[
        "now add tests",
        "yes",
        "thanks",
        "ok",
        "Great, thanks! Next: the parser",
        "perfect",
        "go on",
        "continue",
        "looks good, commit it",
        "no problem, go on",
        "no worries",
        "No, thanks",
        "no that's fine",
        "no, all good",
        "no need to rush, add the docs too",
        "no tests yet, please add some",
        "not bad! now the docs",
        "nothing else, thank you",
        "don't forget to add tests",
        "don't worry about Windows",
        "stop the server and run the tests",
        "undo should be a button in the toolbar",
        "add an undo button",
        "add a revert command",
        "implement undo that works across files",
        "revert to the dialog when the user cancels",
        "fix the wrong import in a.rs",
        "if the password is wrong, show an error",
        "when that is wrong, print a hint",
        "why is the test slow?",
        "why not add tests too?",
        "what does this function do?",
        "is that wrong?",
        "can you explain the change?",
        "now rename it to parse_all",
        "also update the changelog",
        "make it faster",
        "the number 7 should be a constant",
        "use the same approach for the other files",
        "nice work, do the same for `client.rs`",
        "note that the API is public",
        "node 22 please",
        "notify me when it is done",
        "nobody uses that file, delete it",
        "normalise the paths, too",
        "run the tests again",
        "and the README?",
        "one more thing: bump the version",
        "Actually, let's also support JSON",
        "wait for the build, then push",
        "hold on to the old name for now",
        "I think we need a cache",
        "I like it",
        "do it",
        "ja",
        "Ja, gut, mach weiter",
        "passt, danke",
        "nicht schlecht, weiter so",
        "oui, continue",
        "merci, ajoute des tests",
        "sí, sigue",
        "ahora añade pruebas",
        "sim, obrigado",
        "да, дальше",
        "спасибо, добавь тесты",
        "继续",
        "好的，加上测试",
        "はい、続けて",
        "네, 계속해",
        "/compact",
        "<system-reminder>no</system-reminder>",
        "",
    ];

    #[test]
    fn what_takes_back_is_told_from_what_goes_on() {
        assert!(NEGATING.len() >= 60 && CONTINUING.len() >= 60);
        let missed: Vec<&&str> = NEGATING.iter().filter(|prompt| !negates(prompt)).collect();
        let invented: Vec<&&str> = CONTINUING.iter().filter(|prompt| negates(prompt)).collect();
        assert!(missed.is_empty() && invented.is_empty(), "missed {missed:?}, invented {invented:?}");
    }

    proptest! {
        /// Case, spaces and a polite beginning change nothing.
        #[test]
        fn layout_changes_nothing(at in 0_usize..60, before in "(hey |hmm, |ok, |  |\n)?", after in "( |\n|  )?") {
            for (list, expected) in [(NEGATING, true), (CONTINUING, false)] {
                let text = list[at];
                for text in [format!("{before}{text}{after}"), format!("{before}{}{after}", text.to_uppercase())] {
                    prop_assert_eq!(negates(&text), expected, "{:?}", text);
                }
            }
        }

        /// What goes on still goes on if more of the same follows.
        #[test]
        fn two_continuations_are_one(one in 0_usize..CONTINUING.len() - 3, two in 0_usize..CONTINUING.len() - 3) {
            let text = format!("{}. {}", CONTINUING[one].trim_end_matches(['.', '?', '!']), CONTINUING[two]);
            prop_assert!(!negates(&text), "{:?}", text);
        }

        #[test]
        fn any_text_is_read(text in "\\PC{0,200}") {
            negates(&text);
        }
    }
}
