/** Syntax highlighting by Shiki, with its JavaScript regex engine and languages loaded on demand. */
import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
  type ThemedToken,
} from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { CodeLine } from "./highlighter.ts";
import type { Language } from "./languages.ts";
import { loadLanguage } from "./load-language.ts";

const theme = createCssVariablesTheme({ name: "pidex", variablePrefix: "--", fontStyle: false });

/** Longer lines are not highlighted. */
const MAX_LINE_LENGTH = 1000;
/** Time limit per line, except the first: that may include compiling the language's expressions. */
const LINE_LIMIT_MS = 500;
/** Lines highlighted between checks of the time limit. */
const LINES_PER_STEP = 20;

let loading: Promise<HighlighterCore> | undefined;

/** A highlighter with a language loaded. @throws if the language cannot be loaded */
export async function loadHighlighter(language: Language): Promise<HighlighterCore> {
  loading ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await loading;
  await highlighter.loadLanguage(await loadLanguage(language));
  return highlighter;
}

/**
 * The lines of a text, highlighted. Lines not reached within the time limit stay uncolored.
 *
 * @param limitMs may be exceeded by one step
 */
export function highlightLines(
  highlighter: HighlighterCore,
  text: string,
  language: Language,
  limitMs: number,
): CodeLine[] {
  const start = performance.now();
  const lines = text.split("\n");
  const done: CodeLine[] = [];
  let state: GrammarState | undefined;
  while (done.length < lines.length && performance.now() - start < limitMs) {
    const isFirst = done.length === 0;
    const step = lines.slice(done.length, done.length + (isFirst ? 1 : LINES_PER_STEP));
    const tokens = highlighter.codeToTokensBase(step.join("\n"), {
      lang: language,
      theme: "pidex",
      tokenizeMaxLineLength: MAX_LINE_LENGTH,
      tokenizeTimeLimit: isFirst ? limitMs : LINE_LIMIT_MS,
      ...(state && { grammarState: state }),
    });
    state = highlighter.getLastGrammarState(tokens) as GrammarState | undefined;
    for (const line of tokens) done.push(mergeTokens(line));
  }
  for (const line of lines.slice(done.length)) done.push([[line]]);
  return done;
}

/** Merges adjacent tokens of the same kind. */
function mergeTokens(tokens: readonly ThemedToken[]): CodeLine {
  const pieces: [text: string, kind?: string][] = [];
  for (const { content, color } of tokens) {
    // The kind of a theme color is also its CSS class.
    const kind = /^var\(--token-([a-z-]+)\)$/.exec(color ?? "")?.[1];
    const last = pieces.at(-1);
    if (last && last[1] === kind) last[0] += content;
    else pieces.push(kind === undefined ? [content] : [content, kind]);
  }
  return pieces;
}
