import type { ComponentChildren } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { DisplayContext, patternAt } from "./display-options.ts";

/** Maximum number of highlighted words in one text. */
export const MAX_MARKS = 2000;

/** A text, escaped for display, with the search terms highlighted. */
export function HighlightedText({ text }: { text: string }) {
  const { highlightPattern } = useContext(DisplayContext);
  if (!highlightPattern || text === "") return <>{text}</>;
  const parts: (string | preact.JSX.Element)[] = [];
  let end = 0;
  for (const match of text.matchAll(highlightPattern)) {
    if (parts.length > 2 * MAX_MARKS) break;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(<mark>{match[0]}</mark>);
    end = match.index + match[0].length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}

/** What belongs to the entry at a line: highlighted only if that entry is one of those that were found. */
export function HighlightedEntry({ line, children }: { line: number; children: ComponentChildren }) {
  const display = useContext(DisplayContext);
  const highlightPattern = patternAt(display, line);
  const own = useMemo(() => ({ ...display, highlightPattern }), [display, highlightPattern]);
  if (!display.found) return <>{children}</>;
  return <DisplayContext.Provider value={own}>{children}</DisplayContext.Provider>;
}

/** Whether a text contains a search term. */
export function containsMatch(found: RegExp | undefined, text: string): boolean {
  return found !== undefined && text.search(found) !== -1;
}
