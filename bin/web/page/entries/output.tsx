/** Output of a tool or command: its first lines, and the rest folded. */
import { useContext } from "preact/hooks";
import { firstLines, toSafeText, truncateText } from "../../../format/bounded-text.ts";
import { formatCount } from "../../../format/safe.ts";
import { Code } from "./code.tsx";
import { CopyButton } from "./copy-button.tsx";
import { DisplayContext } from "./display-options.ts";
import { FoldedRest, ShowLess } from "./foldable.tsx";
import { containsMatch } from "./highlighted-text.tsx";

/** Lines and UTF-16 units shown while folded: a single line may contain a whole file. */
const FOLDED_LINES = 12;
const FOLDED_LENGTH = 3000;
/** A text with more lines starts folded in any case. */
const MAX_OPENED_LINES = 200;

/** Terminal sequences for colors and cursor movement. They are removed; other control characters are made visible. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences start with one
const TERMINAL_STYLE = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** Escapes a session's text for display. */
export function toDisplayText(text: string): string {
  return toSafeText(text.replace(TERMINAL_STYLE, ""));
}

interface Props {
  name: string;
  text: string;
  /** The language, as in a Markdown code fence. */
  language?: string | undefined;
  /** Whether it is shown completely until the user folds it, unless it is very long. */
  startsOpen?: boolean;
}

export function Output({ name, text, language, startsOpen = false }: Props) {
  const { highlightPattern } = useContext(DisplayContext);
  const { start, more } = truncateText(text);
  const output = toDisplayText(start).replace(/\s+$/, "");
  if (output === "" && more === "") return null;
  const first = foldedText(output);
  if (first.length === output.length)
    return (
      <div class="output">
        <CopyButton text={start} what="text" />
        <OutputText {...{ text: output, more, language }} />
      </div>
    );
  const rest = output.slice(first.length + (output[first.length] === "\n" ? 1 : 0));
  const lines = firstLines(output, 0).more;
  return (
    <div class="output">
      <CopyButton text={start} what="text" />
      <ShowLess {...{ lines }} />
      <OutputText {...{ text: first, more: "", language }} />
      <FoldedRest
        {...{ name, lines }}
        startsOpen={startsOpen && lines <= MAX_OPENED_LINES}
        isFound={containsMatch(highlightPattern, rest)}
      >
        <OutputText {...{ text: rest, more, language }} />
      </FoldedRest>
    </div>
  );
}

function OutputText({ text, more, language }: { text: string; more: string; language: string | undefined }) {
  return (
    <>
      <pre class="output-text" dir="auto">
        <Code {...{ text, language }} />
      </pre>
      {more !== "" && <p class="part-note">{more}</p>}
    </>
  );
}

/** The part of a text that is shown while folded. A text that is only slightly longer is shown completely. */
function foldedText(text: string): string {
  const { lines, more } = firstLines(text, FOLDED_LINES + 4);
  if (more === 0 && text.length <= FOLDED_LENGTH) return text;
  const start = (more === 0 ? lines : lines.slice(0, FOLDED_LINES)).join("\n");
  if (start.length <= FOLDED_LENGTH) return start;
  // At the end of a line if there is one, and never within a surrogate pair.
  const end = start.lastIndexOf("\n", FOLDED_LENGTH);
  if (end > FOLDED_LENGTH / 4) return start.slice(0, end);
  return start.slice(0, FOLDED_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

/** The number of lines in a text: "3 lines". */
export function formatLineCount(text: string): string {
  return formatCount(firstLines(text, 0).more, "line");
}
