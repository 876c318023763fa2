/** How much a text says about what a session is about. */
export type Specificity = "greeting" | "vague" | "specific";

/** Words of greetings, thanks and consent. */
const GREETING = toWords(`
  hi hello hey hiya yo there all team guys everybody morning afternoon evening good great nice cool perfect awesome lgtm ok okay k yes yeah yep
  sure no nope fine right thanks thank thx ty cheers please pls plz welcome you doing well hope are how is it today a the lot so much awake ready how's going bye goodbye
  hallo moin servus guten morgen tag abend ja nein gut danke bitte
  bonjour salut merci oui non bien hola buenas buenos días gracias sí si vale olá obrigado ciao grazie
  привет здравствуйте спасибо да нет хорошо ок`);

/** Further words that say nothing without what came before: "still doesn't work", "continue where we left off". */
const FILLER = toWords(`
  an this that these those its i he she we they me my your our us them one was were be been am do does did done don't doesn't didn't isn't it's
  that's i'm i'd i'll let's can could can't would will should shall may might must have has had having not what which who why when where and or
  but if then than as at by for from in into of off on onto out over to up with about again still also just now here any some more most other
  another thing things stuff something anything everything try continue continuing go going ahead proceed resume keep start begin finish next step
  left previous back carry fix fixed fixing work works worked working broken broke problem issue error bug wrong fail fails failed look looks see
  check help need needs want like make makes get got let same correct change changes faster better first background context before after question
  discuss talk code coding session task follow described instructions above below following time take think hard implement implementing plan execute apply
  test tests run running commit push explain review read full whole entire file files build wtf y n use subagent subagents failure failures failing find investigate figure tell cause reason
  weiter mach machen mache gut das es die der den ist nicht geht funktioniert immer noch nochmal versuch los kannst du mal mir ich wir fehler behebe
  beheben repariere wie was womit und
  continue continuez encore ça cela le la les ne pas marche corrige sigue continúa arréglalo lo funciona esto eso
  продолжай продолжи продолжить это не работает исправь почини давай дальше ещё раз`);

/** The same in scripts without spaces; longer ones first. */
const FILLER_PHRASES =
  /こんにちは|こんばんは|おはようございます|お疲れ様です|よろしくお願いします|お願いします|ありがとうございます|ありがとう|続けてください|続けて|続き|直して|修正して|調べて|教えて|もらえますか|原因|なぜ|ください|はい|你好|您好|继续|繼續|好的|可以|谢谢|謝謝|请|請|帮我|幫我|修复|修一下|看看|看一下|检查|是什么|什么|原因|为什么|问题|解决|怎么|一下|它|这个|這個|안녕하세요|감사합니다|계속해줘|계속|해주세요|네/g;

const WORD = /[\p{L}\p{N}_'’./#:-]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LETTER = /\p{L}/u;

/** Whether a text is only a greeting, only words that many sessions have, or more than that. */
export function toSpecificity(text: string): Specificity {
  if (countSpecificWords(text) > 0) return "specific";
  return splitWords(text).every((word) => word === "" || GREETING.has(word)) ? "greeting" : "vague";
}

/** The number of words that not many sessions have; two characters of a script without spaces count as one. */
export function countSpecificWords(text: string): number {
  return splitWords(text).reduce((sum, word) => sum + weighWord(word), 0);
}

function splitWords(text: string): string[] {
  const words = text.toLowerCase().replaceAll("’", "'").match(WORD) ?? [];
  return words.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""));
}

function weighWord(word: string): number {
  if (word === "" || GREETING.has(word) || FILLER.has(word)) return 0;
  if (UNSPACED.test(word)) return Math.floor(word.replace(FILLER_PHRASES, "").length / 2);
  return LETTER.test(word) || word.length > 2 ? 1 : 0; // "issue 4127", but "step 1"
}

function toWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
