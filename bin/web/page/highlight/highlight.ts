/** Puts code in colours: shiki, its own regular expressions, and languages as they are asked for. Never loaded at first. */
import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
  type ThemedToken,
} from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { Line, Piece } from "./highlighting.ts";
import type { Language } from "./languages.ts";
import { loadLanguage } from "./load-language.ts";

const theme = createCssVariablesTheme({ name: "pidex", variablePrefix: "--", fontStyle: false });

/** Longer lines stay in one colour. */
const LONGEST_LINE = 1000;
/** How long one line may take, in milliseconds: the first of a language has to make its expressions too. */
const LINE_MS = 500;
/** Lines that are looked at before it is seen how long that took. */
const LINES_AT_ONCE = 20;

let highlighter: Promise<HighlighterCore> | undefined;

/** Loads what a language needs. @throws when it cannot be loaded */
export async function load(language: Language): Promise<HighlighterCore> {
  highlighter ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const made = await highlighter;
  await made.loadLanguage(await loadLanguage(language));
  return made;
}

/**
 * The lines of a text in colours. What is not reached in time stays in one.
 *
 * @param most how long all of it may take, in milliseconds; a little longer happens
 */
export function highlight(made: HighlighterCore, text: string, language: Language, most: number): Line[] {
  const began = performance.now();
  const lines = text.split("\n");
  const done: Line[] = [];
  let state: GrammarState | undefined;
  while (done.length < lines.length && performance.now() - began < most) {
    const some = lines.slice(done.length, done.length + LINES_AT_ONCE);
    const tokens = made.codeToTokensBase(some.join("\n"), {
      lang: language,
      theme: "pidex",
      tokenizeMaxLineLength: LONGEST_LINE,
      tokenizeTimeLimit: LINE_MS,
      ...(state && { grammarState: state }),
    });
    state = made.getLastGrammarState(tokens) as GrammarState | undefined;
    for (const line of tokens) done.push(piecesOf(line));
  }
  for (const line of lines.slice(done.length)) done.push([[line]]);
  return done;
}

/** Neighbours of one colour are one piece. */
function piecesOf(tokens: readonly ThemedToken[]): Line {
  const pieces: Piece[] = [];
  for (const { content, color } of tokens) {
    const kind = kindOf(color);
    const last = pieces.at(-1);
    if (last && last[1] === kind) pieces[pieces.length - 1] = pieceOf(last[0] + content, kind);
    else pieces.push(pieceOf(content, kind));
  }
  return pieces;
}

function pieceOf(text: string, kind: string | undefined): Piece {
  return kind === undefined ? [text] : [text, kind];
}

/** What a colour of the theme is for, which is how its class is called. */
function kindOf(color: string | undefined): string | undefined {
  return /^var\(--token-([a-z-]+)\)$/.exec(color ?? "")?.[1];
}
