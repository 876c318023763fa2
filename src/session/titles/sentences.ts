import { countSpecificWords, toSpecificity } from "./specificity.ts";

/** Words before what a sentence asks for. */
const LEADING = new RegExp(
  `^(?:${[
    String.raw`(?:please|pls|plz|kindly|okay|ok|alright|right|so|now|well|hey|hi|hello|also|and|then|good morning|good evening|task|todo|first)(?![\w-])`,
    String.raw`(?:can|could|would|will) (?:you|u)(?! (?:see|tell) )\b`,
    String.raw`i(?:['’]d| would) like (?:you )?to\b|i (?:want|need) (?:you )?to\b|we (?:still |also |now )?(?:need|want|have) to\b|you (?:should|need to)\b|let['’]?s\b|help me(?: to)?\b`,
    String.raw`be so kind and\b|your (?:task|job|goal) is to\b`,
    String.raw`(?:hallo|moin|guten morgen|guten tag|bitte|kannst du|könntest du|kannst|mal|schauen)(?!\p{L})`,
    String.raw`(?:bonjour|salut|peux-tu|pouvez-vous|pourrais-tu|merci de|hola|puedes|por favor|привет|пожалуйста)(?!\p{L})`,
    "(?:你好|您好|请你?|請|帮我|幫我|麻烦你?|こんにちは|お疲れ様です)",
  ].join("|")})[\\s,!.:;。，、！-]*`,
  "iu",
);
const TRAILING =
  /[\s,]+(?:thanks|thank you|thx|please|pls|danke|merci|gracias)(?: (?:a lot|so much|you|in advance))*[\s!.?]*$/i;

/** A sentence that begins in such a way asks for something. */
const ASKING =
  /^(?:please|pls|kindly|can you|could you|would you|will you|i(?:['’]d| would) like|i (?:want|need) (?:you )?to|we (?:still |also |now )?(?:need|want|have) to|your (?:task|job|goal)|let['’]?s|help me|now |bitte|kannst du|könntest du|peux-tu|pouvez-vous|pourrais-tu|puedes|por favor|请|請|帮我|幫我|麻烦|пожалуйста)/i;
const IMPERATIVE =
  /^(?:add|allow|analy[sz]e|apply|audit|build|bump|change|check|clean|compare|configure|connect|convert|create|debug|dedupe|deduplicate|delete|deploy|describe|design|disable|document|draft|drop|enable|explain|explore|extend|extract|find|finish|fix|format|generate|handle|implement|improve|inspect|install|integrate|investigate|list|look into|make|merge|migrate|move|optimi[sz]e|plan|port|prepare|publish|read|rebase|refactor|release|remove|rename|reorgani[sz]e|replace|research|review|revert|rewrite|run|search|set up|setup|show|simplify|sort|split|summari[sz]e|support|switch|test|translate|trim|turn|update|upgrade|use|validate|verify|wire|write)\b/i;
/** What is asked for first, to get to the point. */
const PREPARING = /^(?:read|look at|have a look|take a look|see|open|go through|study|explore)\b/i;
const QUESTION = /^(?:why|how)\b/i;
const ROLE = /^you are (?:a|an|the|my|now)\b/i;

/** Prose longer than this, in characters, has its point in the last sentence that asks for something. */
const LONG_PROSE = 400;

const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
const SENTENCE_END = /(?<=(?<!\b(?:e\.g|i\.e|etc|vs|cf|z\.B|bzw|Nr|No))[.!?]["')\]]?)\s+|(?<=[。！？])\s*/u;

interface Sentence {
  /** As the user wrote it. */
  written: string;
  text: string;
}

/** The sentence of some paragraphs that says what is asked for; undefined if none says anything specific. */
export function findRequest(paragraphs: readonly (readonly string[])[]): string | undefined {
  const sentences = paragraphs
    .flatMap(joinLines)
    .flatMap((line) => line.split(SENTENCE_END))
    .map((sentence): Sentence => ({ written: sentence.trim(), text: trimSentence(sentence) }))
    .filter(({ text }) => toSpecificity(text) === "specific" && !ROLE.test(text));
  // "Fix the redirect" is about the sentence before it.
  const instructions = sentences.filter((each) => isInstruction(each) && countSpecificWords(each.text) > 1);
  const length = sentences.reduce((sum, { written }) => sum + written.length, 0);
  const point =
    (length > LONG_PROSE && instructions.findLast(isAsking)) ||
    instructions.find(({ text }) => !PREPARING.test(text)) ||
    (instructions[0] ?? sentences[0]);
  return point?.text;
}

function isInstruction(sentence: Sentence): boolean {
  return isAsking(sentence) || IMPERATIVE.test(sentence.text) || QUESTION.test(sentence.text);
}

function isAsking({ written }: Sentence): boolean {
  return ASKING.test(written);
}

/** Joins lines that are wrapped. Items of a list stay apart. */
function joinLines(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [n, line] of lines.entries()) {
    const isContinued = n > 0 && !BULLET.test(line) && (lines[n - 1]?.length ?? 0) > 60;
    if (isContinued) joined.push(`${joined.pop()} ${line.trim()}`);
    else joined.push(line.replace(BULLET, "").replace(/^\s*>\s?/, ""));
  }
  return joined;
}

/** A sentence without greetings, politeness and Markdown, and without a colon or comma at its end. Paths and addresses are shortened. */
export function trimSentence(sentence: string): string {
  let text = sentence
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\s]{1,400}\)/g, "$1")
    .replaceAll("**", "")
    .replace(/\s+/g, " ")
    .trim();
  for (let rest = text; ; text = rest) {
    rest = rest.replace(LEADING, "");
    if (rest === "" || rest === text) break;
  }
  text = text.replace(TRAILING, "").replace(/[\s,:;、]+$/, "");
  if (IMPERATIVE.test(text)) text = text.replace(/(?<=\S)\s*\?$/, ""); // of "could you"
  return text.replace(ADDRESS, toShortAddress).replace(PATH, toShortPath);
}

/** Without the name and password before the host: alone, they would not be recognized as a secret. */
const ADDRESS = /https?:\/\/(?:[^\s<>"'/@]*@)?(?:www\.)?([^\s<>"')\]]+)/g;
const PATH = /(?<=^|[\s('"`])(@?)((?:~|\.{1,2})?(?:[\\/]?[\w.@+-]+)(?:[\\/][\w.@+-]+)*)(?=$|[\s)'"`,:;?!])/g;

function toShortAddress(_: string, address: string): string {
  return address.replace(/[?#].*$/, "").replace(/\/$/, "");
}

/** A mentioned file is `@` and its path: its name suffices, as that of a file far down the tree does. */
function toShortPath(written: string, at: string, path: string): string {
  const names = path.split(/[\\/]/);
  const name = names.at(-1) ?? path;
  const isFar = names.length > 4 && /^[~\\/]/.test(path) && name.includes(".");
  return at === "@" || isFar ? name : written;
}
