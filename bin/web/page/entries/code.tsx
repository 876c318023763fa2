import type { ComponentChildren } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type CodeLine, type CodeSegment, HighlighterContext } from "../highlight/highlighter.ts";
import { findLanguage, type Language } from "../highlight/languages.ts";
import { DisplayContext } from "./display-options.ts";
import { HighlightedText, MAX_MARKS } from "./highlighted-text.tsx";

interface Props {
  /** Escaped for display. */
  text: string;
  /** The language as named by the author. */
  language?: string | undefined;
}

/** Code, highlighted as soon as the colors are known. */
export function Code({ text, language }: Props) {
  const lines = useHighlightedLines(text, findLanguage(language));
  const { highlightPattern } = useContext(DisplayContext);
  if (!lines) {
    return (
      <code>
        <HighlightedText text={text} />
      </code>
    );
  }
  const code = lines.flatMap((line, n): CodeLine => (n > 0 ? [["\n"], ...line] : line));
  return <code>{highlightPattern ? markMatches(code, highlightPattern) : code.map(colored)}</code>;
}

/** Code with its matches, each in one element, which may have several segments of the code. */
export function markMatches(code: CodeLine, pattern: RegExp): ComponentChildren[] {
  const text = code.map(([segment]) => segment).join("");
  let [index, offset, at] = [0, 0, 0];
  /** The next segments, up to a position in the text. */
  const takeUntil = (end: number) => {
    const taken: ComponentChildren[] = [];
    for (let segment = code[index]; segment && at < end; segment = code[index]) {
      const [whole, ...kind] = segment;
      const part = whole.slice(offset, offset + end - at);
      if (part !== "") taken.push(colored([part, ...kind]));
      at += part.length;
      offset += part.length;
      if (offset < whole.length) continue;
      index++;
      offset = 0;
    }
    return taken;
  };
  const parts: ComponentChildren[] = [];
  for (const match of text.matchAll(pattern)) {
    if (parts.length > 2 * MAX_MARKS) break;
    parts.push(takeUntil(match.index), <mark>{takeUntil(match.index + match[0].length)}</mark>);
  }
  return [...parts, takeUntil(text.length)];
}

export function colored([text, kind]: CodeSegment) {
  return kind === undefined ? text : <span class={`code-${kind}`}>{text}</span>;
}

/** The highlighted lines of a text; undefined until the colors are known. */
export function useHighlightedLines(
  text: string,
  language: Language | undefined,
): readonly CodeLine[] | undefined {
  const highlighting = useContext(HighlighterContext);
  const [loaded, setLoaded] = useState<{ text: string; lines: readonly CodeLine[] }>();
  const known = language === undefined ? undefined : highlighting?.getCached(text, language);
  const isKnown = known !== undefined;
  useEffect(() => {
    if (!highlighting || language === undefined || isKnown) return undefined;
    return highlighting.request(text, language, (lines) => setLoaded({ text, lines }));
  }, [highlighting, text, language, isKnown]);
  return known ?? (loaded?.text === text ? loaded.lines : undefined);
}
