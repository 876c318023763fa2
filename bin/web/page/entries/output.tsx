/** What a tool or a command put out: its first lines, and the rest where somebody asks for it. */
import { useContext } from "preact/hooks";
import { firstLines, shown, startOf } from "../../../format/bounded-text.ts";
import { counted, grouped } from "../../../format/safe.ts";
import { Code } from "./code.tsx";
import { Folded } from "./folded.tsx";
import { isFoundIn } from "./marked.tsx";
import { ShowingContext } from "./showing.ts";

/** Lines that are shown of what is folded, and signs of them: one line may be the whole of a file. */
const FOLDED_LINES = 12;
const FOLDED_SIGNS = 3000;

/** What colours and moves a terminal's cursor. What it could hide is shown as signs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with one
const TERMINAL_STYLE = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** A session's text as a page may show it. */
export function outputText(text: string): string {
  return shown(text.replace(TERMINAL_STYLE, ""));
}

interface Props {
  name: string;
  text: string;
  /** What it is written in, as fences of markdown have it. */
  language?: string | undefined;
}

export function Output({ name, text, language }: Props) {
  const { found } = useContext(ShowingContext);
  const { start, more } = startOf(text);
  const whole = outputText(start).replace(/\s+$/, "");
  if (whole === "" && more === "") return null;
  const first = beginningOf(whole);
  if (first.length === whole.length) return <OutputText {...{ text: whole, more, language }} />;
  const rest = whole.slice(first.length + (whole[first.length] === "\n" ? 1 : 0));
  const lines = firstLines(whole, 0).more;
  const all = lines > 1 ? `show all ${grouped(lines)} lines` : `show all of it`;
  const summary = (
    <>
      <span class="when-closed">{all}</span>
      <span class="when-open">show less</span>
    </>
  );
  return (
    <div class="output">
      <OutputText {...{ text: first, more: "", language }} />
      <Folded class="rest" {...{ name, summary }} usually={isFoundIn(found, rest)}>
        <OutputText {...{ text: rest, more, language }} />
      </Folded>
    </div>
  );
}

function OutputText({ text, more, language }: { text: string; more: string; language: string | undefined }) {
  return (
    <>
      <pre class="output-text" dir="auto">
        <Code {...{ text, language }} />
      </pre>
      {more !== "" && <p class="left-out">{more}</p>}
    </>
  );
}

/** What is shown of a text before all of it is asked for. A little more alone is not left out. */
function beginningOf(text: string): string {
  const { lines, more } = firstLines(text, FOLDED_LINES + 4);
  if (more === 0 && text.length <= FOLDED_SIGNS) return text;
  const start = (more === 0 ? lines : lines.slice(0, FOLDED_LINES)).join("\n");
  if (start.length <= FOLDED_SIGNS) return start;
  // Between two lines where there is room for one, and never in a pair.
  const end = start.lastIndexOf("\n", FOLDED_SIGNS);
  if (end > FOLDED_SIGNS / 4) return start.slice(0, end);
  return start.slice(0, FOLDED_SIGNS).replace(/[\ud800-\udbff]$/, "");
}

/** How much of something is folded away, in words. */
export function linesIn(text: string): string {
  return counted(firstLines(text, 0).more, "line");
}
