import { useContext, useEffect, useState } from "preact/hooks";
import { type CodeLine, type CodeSegment, HighlighterContext } from "../highlight/highlighter.ts";
import { findLanguage, type Language } from "../highlight/languages.ts";
import { DisplayContext } from "./display-options.ts";
import { containsMatch, HighlightedText } from "./highlighted-text.tsx";

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
  // A text with matches is shown without colors: a match may be in several parts of the code.
  if (!lines || containsMatch(highlightPattern, text)) {
    return (
      <code>
        <HighlightedText text={text} />
      </code>
    );
  }
  return <code>{lines.flatMap((line, n) => [n > 0 && "\n", ...line.map(colored)])}</code>;
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
