/** What an assistant called a tool for, and what came of it. */
import { useContext } from "preact/hooks";
import type { Block } from "../../../../library/index.ts";
import { editOf } from "../../../format/edits.ts";
import { callAbout } from "../../../format/entry-words.ts";
import { oneLine } from "../../../format/safe.ts";
import { languageOfFile } from "../highlight/languages.ts";
import { argumentLanguages } from "./argument-languages.ts";
import { Arguments } from "./arguments.tsx";
import { Counts, Diff } from "./diff.tsx";
import { Folded } from "./folded.tsx";
import { isFoundIn, Marked } from "./marked.tsx";
import { failedNestedCalls, nestedCallsText } from "./nested-calls.tsx";
import { Outcome } from "./outcome.tsx";
import { diffIn, isResult, type Result, ResultBody } from "./result.tsx";
import { type PlacedEntryJson, ShowingContext } from "./showing.ts";

type ToolCall = Extract<Block, { type: "toolCall" }>;

interface Props {
  name: string;
  call: ToolCall;
  /** The entries that answer it: none while it runs, or where it was broken off. */
  results: readonly PlacedEntryJson[];
}

/** A call on one line; what it was called with and what it put out where somebody opens it. */
export function Call({ name, call, results }: Props) {
  const { found } = useContext(ShowingContext);
  const args = call.arguments ?? {};
  const edit = editOf(call.name, call.arguments);
  const called = oneLine((call.name ?? "?").slice(0, 200));
  const about = edit ? oneLine(edit.about.slice(0, 1000)) : callAbout(call.arguments);
  const answers = results.flatMap(({ entry, line }) =>
    isResult(entry) ? [{ result: entry.message, line }] : [],
  );
  const hasFailed = answers.some(({ result }) => result.isError);
  const failedInside = answers.map(({ result }) => failedNestedCalls(result)).filter(Boolean);
  const outcome = hasFailed ? "failed" : failedInside.length > 0 ? "partly" : "done";
  const hasDiff = answers.some(({ result }) => diffIn(result) !== undefined);
  const path = pathIn(args);
  const summary = (
    <span class="call-summary">
      <Outcome kind={answers.length === 0 ? "unknown" : outcome} />
      <span class="call-name">{called}</span>{" "}
      <span class="call-about">
        <Marked text={about} />
      </span>
      {edit && <Counts added={edit.added} removed={edit.removed} />}
      {failedInside.length > 0 && <span class="call-failed-inside">{failedInside.join(", ")}</span>}
    </span>
  );
  const isFound = found !== undefined && isFoundIn(found, textOf(answers, args));
  return (
    <Folded class={hasFailed ? "call call-failed" : "call"} {...{ name, summary }} usually={isFound}>
      <div class="call-inside">
        <Arguments
          name={`${name}/args`}
          {...{ args }}
          {...(edit && { told: edit.told })}
          languages={argumentLanguages(call.name, args)}
        />
        {edit && !hasDiff && <Diff name={`${name}/diff`} text={edit.lines.join("\n")} />}
        {answers.map(({ result, line }) => (
          <ResultBody
            key={line}
            name={`${name}/${line}`}
            {...{ result, line }}
            language={/read|view|cat/i.test(called) && path ? languageOfFile(path) : undefined}
          />
        ))}
      </div>
    </Folded>
  );
}

function pathIn(args: Record<string, unknown>): string | undefined {
  const path = args.path ?? args.file_path ?? args.filePath;
  return typeof path === "string" ? path : undefined;
}

/** Most of what is looked through for words. */
const MOST_LOOKED_THROUGH = 200_000;

function textOf(answers: readonly { result: Result }[], args: Record<string, unknown>): string {
  const texts = [
    ...Object.values(args).filter((value) => typeof value === "string"),
    ...answers.map(({ result }) => nestedCallsText(result)),
    ...answers.flatMap(({ result: { content } }) =>
      typeof content === "string"
        ? [content]
        : (content ?? []).map((block) => String(("text" in block && block.text) || "")),
    ),
  ];
  return texts.join("\n").slice(0, MOST_LOOKED_THROUGH);
}
