/** Sentences of Markdown, and how much each one says. */
import { toOneLine } from "../../format/safe.ts";

/** List items are joined up to this length, in characters: short ones say little alone. */
const MAX_JOINED = 150;
/** Headings and introductions of lists that are longer are left out. */
const MAX_LEAD = 60;
/** Longer texts are cut: a model's answer has a few thousand characters, a dump more. */
const MAX_TEXT = 40_000;

const CODE_BLOCK = /^[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm;
const HEADING = /^#{1,6}\s+/;
const ITEM = /^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const TABLE_RULE = /^\|?[\s:|-]+\|?$/;
const SENTENCE_END = /(?<=[^\s.]{2}[.!?])\s+(?=[A-Z`"'(\d])/;

/** The sentences and list items of a text, without code blocks and marks. A heading or an introduction is put before what follows it. */
export function splitSentences(markdown: string): string[] {
  const sentences: string[] = [];
  let lead = "";
  let isInList = false;
  for (const raw of markdown.slice(0, MAX_TEXT).replace(CODE_BLOCK, "").split("\n")) {
    const line = withoutMarks(raw);
    if (line === "" || TABLE_RULE.test(line)) continue;
    if (HEADING.test(line)) {
      lead = line.replace(HEADING, "").replace(/:?$/, ": ");
      isInList = false;
      continue;
    }
    const item = line.replace(ITEM, "");
    const isItem = item !== line || line.startsWith("|");
    if (!isItem && line.endsWith(":")) {
      lead = `${line} `;
      isInList = false;
      continue;
    }
    const cells = item.startsWith("|") ? item.split("|").map((cell) => cell.trim()) : undefined;
    // Rows of tables are items too.
    const pieces = cells ? [cells.filter(Boolean).join(": ")] : isItem ? [item] : item.split(SENTENCE_END);
    for (const piece of pieces) {
      const last = sentences.at(-1);
      if (isInList && isItem && last !== undefined && last.length + piece.length < MAX_JOINED)
        sentences[sentences.length - 1] = `${last.replace(/[.;:]$/, "")}; ${piece}`;
      else sentences.push(withoutFiller(lead.length <= MAX_LEAD ? `${lead}${piece}` : piece));
      lead = "";
    }
    isInList = isItem;
  }
  return sentences;
}

/** Without the word that only says that there is an answer. */
function withoutFiller(sentence: string): string {
  return sentence.replace(
    /^(?:Done|Perfect|Great|Good|Excellent|Fixed|Yes|You're (?:absolutely )?right)[!.,:]+\s+(?=\S{3})/,
    "",
  );
}

/** Bold, italics, code marks and links, as their text. */
function withoutMarks(line: string): string {
  return toOneLine(line)
    .replace(/\*\*|__(?=\S)|(?<=\S)__|`/g, "")
    .replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replace(/^>\s?/, "");
}

/** How much a sentence says, from 0 on; 1 is a plain statement. @param terms the number of its terms */
export function scoreSentence(sentence: string, terms: number): number {
  if (sentence.length < 8 || !/\p{L}{2}/u.test(sentence)) return 0;
  let score = 1;
  for (const [pattern, points] of SIGNS) if (pattern.test(sentence)) score += points;
  score += 0.12 * Math.min(5, terms);
  if (sentence.length < 25) score -= 0.6;
  return Math.max(0.05, score);
}

/** What makes a statement worth keeping, and what makes it filler. */
const SIGNS: readonly (readonly [RegExp, number])[] = [
  // Decisions and what was rejected.
  [
    /\b(?:instead|rather than|revert|reverted|undid|rejected|dropped|abandon|decid|chose|chosen|won't|not worth|didn't (?:work|help)|doesn't work|no longer|remov|replac|renam|kept?|switched|mov(?:ed|ing) (?:to|from))/i,
    0.6,
  ],
  // Causes.
  [
    /\b(?:because|caus|root|due to|the (?:problem|issue|bug|reason|culprit)|turns out|turned out|since the|so that|fix)/i,
    0.6,
  ],
  // What is left.
  [
    /\b(?:todo|remain|left to|not yet|next step|follow-up|still (?:need|fail|to)|limitation|caveat|known issue|untested|pending|unfinished)/i,
    0.5,
  ],
  [/\b(?:error|fail|crash|wrong|broken|missing|leak|race|regress)/i, 0.25],
  [
    /\b(?:added|created|introduced|implemented|new (?:file|class|function|option|flag|method|command)|default)/i,
    0.3,
  ],
  // Numbers and versions.
  [/\d{2,}|\d+\.\d+|\b\d+ ?(?:%|ms|s|kb|mb|gb|px|lines?|tests?|files?|tokens?|times)\b/i, 0.4],
  [/\bv?\d+\.\d+\.\d+\b/, 0.3],
  // Filler and announcements.
  [
    /^(?:let me|let's|now (?:let|i|update|add|fix)|i'll|i will|i'm going|next,? (?:i|let)|first,? (?:i|let)|good|great|perfect|excellent|sure|ok(?:ay)?|done|you're (?:absolutely )?right|hmm?|wait|looking at|checking|ah)\b/i,
    -0.8,
  ],
  [/[?]$/, -0.3],
  [/:$/, -0.5],
];

const WORD = /[\p{L}_$@~./-]*[\p{L}_$\d][\p{L}\p{N}_$./:@-]*/gu;
const DISTINCTIVE = /\d|[_$@/]|\p{Ll}\p{Lu}|\p{L}[.-]\p{L}/u;

/** The names and numbers in a text, lowercase, each once: words that are more than plain language. */
export function extractTerms(text: string): string[] {
  const terms = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    const term = word.replace(/[.:,/-]+$/, "");
    if (term.length > 1 && DISTINCTIVE.test(term)) terms.add(term.toLowerCase());
  }
  return [...terms];
}
