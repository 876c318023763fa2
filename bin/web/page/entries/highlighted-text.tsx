import { useContext } from "preact/hooks";
import { DisplayContext } from "./display-options.ts";

/** Maximum number of highlighted words in one text. */
const MAX_MARKS = 2000;

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

/** Whether a text contains a search term. */
export function containsMatch(found: RegExp | undefined, text: string): boolean {
  return found !== undefined && text.search(found) !== -1;
}
