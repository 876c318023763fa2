import { useContext } from "preact/hooks";
import { ShowingContext } from "./showing.ts";

/** More marks than this in one text show nothing more. */
const MOST_MARKS = 2000;

/** A text, which is safe to show already, with the words marked that were looked for. */
export function Marked({ text }: { text: string }) {
  const { found } = useContext(ShowingContext);
  if (!found || text === "") return <>{text}</>;
  const parts: (string | preact.JSX.Element)[] = [];
  let shown = 0;
  for (const match of text.matchAll(found)) {
    if (parts.length > 2 * MOST_MARKS) break;
    if (match.index > shown) parts.push(text.slice(shown, match.index));
    parts.push(<mark>{match[0]}</mark>);
    shown = match.index + match[0].length;
  }
  if (shown === 0) return <>{text}</>;
  return (
    <>
      {parts}
      {text.slice(shown)}
    </>
  );
}

/** Whether something that was looked for is in a text. */
export function isFoundIn(found: RegExp | undefined, text: string): boolean {
  return found !== undefined && text.search(found) !== -1;
}
