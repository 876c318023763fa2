import { useContext, useEffect, useState } from "preact/hooks";
import { HighlightingContext, type Line } from "../highlight/highlighting.ts";
import { languageOf } from "../highlight/languages.ts";
import { Marked } from "./marked.tsx";
import { ShowingContext } from "./showing.ts";

interface Props {
  /** Escaped for display. */
  text: string;
  /** The language as named by the author. */
  language?: string | undefined;
}

/** Code, highlighted as soon as the colors are known. */
export function Code({ text, language }: Props) {
  const lines = useLines(text, languageOf(language));
  const { found } = useContext(ShowingContext);
  if (!lines || found) {
    return (
      <code>
        <Marked text={text} />
      </code>
    );
  }
  return <code>{lines.flatMap((line, n) => [n > 0 && "\n", ...line.map(colored)])}</code>;
}

function colored([text, kind]: Line[number]) {
  return kind === undefined ? text : <span class={`code-${kind}`}>{text}</span>;
}

function useLines(text: string, language: string | undefined): readonly Line[] | undefined {
  const highlighting = useContext(HighlightingContext);
  const [loaded, setLoaded] = useState<{ text: string; lines: readonly Line[] }>();
  const known = language === undefined ? undefined : highlighting?.known(text, language);
  const isKnown = known !== undefined;
  useEffect(() => {
    if (!highlighting || language === undefined || isKnown) return undefined;
    return highlighting.ask(text, language, (lines) => setLoaded({ text, lines }));
  }, [highlighting, text, language, isKnown]);
  return known ?? (loaded?.text === text ? loaded.lines : undefined);
}
