/** The calls that a tool made itself, as codemode scripts do: each on one line that can be opened. */
import { useContext } from "preact/hooks";
import { editOf } from "../../../format/edits.ts";
import { failedCalls, type NestedCallWords, nestedCallsWords } from "../../../format/nested-calls.ts";
import { oneLine } from "../../../format/safe.ts";
import { wholeJson } from "../../../format/whole-json.ts";
import { argumentLanguages } from "./argument-languages.ts";
import { Arguments } from "./arguments.tsx";
import { Counts, Diff } from "./diff.tsx";
import { Folded } from "./folded.tsx";
import { isFoundIn, Marked } from "./marked.tsx";
import { Outcome } from "./outcome.tsx";
import { Output } from "./output.tsx";
import { ShowingContext } from "./showing.ts";

const OUTCOMES = { ok: "done", error: "failed", unfinished: "unfinished" } as const;

/** Deeper calls stand no farther in. */
const MOST_DEEP = 8;

type Result = Parameters<typeof nestedCallsWords>[0];

export function NestedCalls({ name, result }: { name: string; result: Result }) {
  const words = nestedCallsWords(result);
  if (!words) return null;
  return (
    <div class="nested-calls">
      {words.calls.map((each, n) => (
        <NestedCallView key={n} name={`${name}.c${n}`} words={each} />
      ))}
      {words.notes.map((note) => (
        <p key={note} class="left-out">
          {note}
        </p>
      ))}
    </div>
  );
}

function NestedCallView({ name, words }: { name: string; words: NestedCallWords }) {
  const { found } = useContext(ShowingContext);
  const { call, facts, error } = words;
  const args = call.arguments ?? {};
  const edit = editOf(call.name, call.arguments);
  const about = edit ? oneLine(edit.about.slice(0, 1000)) : words.about;
  const summary = (
    <span class="call-summary">
      <Outcome kind={OUTCOMES[call.status]} />
      <span class="call-name">{words.name}</span>{" "}
      <span class="call-about">
        <Marked text={about} />
      </span>
      {edit && <Counts added={edit.added} removed={edit.removed} />}
      {facts !== "" && <span class="quiet">{facts}</span>}
    </span>
  );
  const hasFailed = call.status === "error";
  return (
    <Folded
      class={`${hasFailed ? "call call-failed" : "call"} nested-${Math.min(call.depth, MOST_DEEP)}`}
      {...{ name, summary }}
      usually={isFoundIn(found, nestedText(words))}
    >
      <div class="call-inside">
        <Arguments
          name={`${name}/args`}
          {...{ args }}
          {...(edit && { told: edit.told })}
          languages={argumentLanguages(call.name, args)}
        />
        {edit && <Diff name={`${name}/diff`} text={edit.lines.join("\n")} />}
        {error !== "" && (
          <div class="tool-result tool-result-failed">
            <Output name={`${name}/error`} text={error} />
          </div>
        )}
      </div>
    </Folded>
  );
}

/** Says that calls of a result failed; empty when none did. */
export function failedNestedCalls(result: Result): string {
  return failedCalls(nestedCallsWords(result)?.calls ?? []);
}

/** What of a call is looked through for words: its texts, however they are nested. */
function nestedText({ call, error }: NestedCallWords): string {
  return `${wholeJson(call.arguments ?? {})}\n${error}`;
}

/** The same of all calls of a result. */
export function nestedCallsText(result: Result): string {
  return (nestedCallsWords(result)?.calls ?? []).map(nestedText).join("\n");
}
