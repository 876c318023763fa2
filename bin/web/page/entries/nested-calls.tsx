/** Calls made by a tool itself, such as a codemode script: each on one line that can be opened. */
import { useContext } from "preact/hooks";
import { summarizeCall } from "../../../format/edits.ts";
import type { FormattedNestedCall, FormattedNestedCalls } from "../../../format/nested-calls.ts";
import { stringifyDeep } from "../../../format/stringify-deep.ts";
import { CallCard } from "./call-card.tsx";
import { DisplayContext } from "./display-options.ts";
import { containsMatch } from "./highlighted-text.tsx";
import { Output } from "./output.tsx";

const OUTCOMES = { ok: "done", error: "failed", unfinished: "unfinished" } as const;

/** Deeper calls are not indented further. */
const MAX_INDENT = 8;

export function NestedCalls({ name, nested }: { name: string; nested: FormattedNestedCalls }) {
  return (
    <div class="nested-calls">
      {nested.calls.map((each, n) => (
        <NestedCallView key={n} name={`${name}.c${n}`} words={each} />
      ))}
      {nested.notes.map((note) => (
        <p key={note} class="part-note">
          {note}
        </p>
      ))}
    </div>
  );
}

function NestedCallView({ name, words }: { name: string; words: FormattedNestedCall }) {
  const { highlightPattern, folder } = useContext(DisplayContext);
  const { call, facts, error } = words;
  const summary = summarizeCall(call.name, call.arguments, folder);
  // Without recorded arguments there is nothing to summarize; the note says so.
  const about = call.arguments ? summary.about : "";
  return (
    <CallCard
      class={`nested-${Math.min(call.depth, MAX_INDENT)}`}
      {...{ name, call }}
      summary={{ ...summary, name: words.name, about }}
      outcome={OUTCOMES[call.status]}
      note={facts !== "" && <span class="quiet">{facts}</span>}
      isFound={containsMatch(highlightPattern, nestedText(words))}
      hasDiff
    >
      {error !== "" && (
        <div class="tool-result tool-result-failed">
          <Output name={`${name}/error`} text={error} />
        </div>
      )}
    </CallCard>
  );
}

/** The text of a nested call that is searched for highlighted words. */
function nestedText({ call, error }: FormattedNestedCall): string {
  return `${stringifyDeep(call.arguments ?? {})}\n${error}`;
}

/** The text of all nested calls that is searched for highlighted words. */
export function nestedCallsText({ calls }: FormattedNestedCalls): string {
  return calls.map(nestedText).join("\n");
}
