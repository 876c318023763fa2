/** A tool call of the assistant and its results. */
import { useContext } from "preact/hooks";
import { summarizeCall } from "../../../format/edits.ts";
import { toSafeJson } from "../../../format/json-text.ts";
import { formatFailedCalls } from "../../../format/nested-calls.ts";
import type { CallPart } from "../../../format/parts.ts";
import { findFileLanguage } from "../highlight/languages.ts";
import { CallCard } from "./call-card.tsx";
import { DisplayContext, patternAt } from "./display-options.ts";
import { containsMatch } from "./highlighted-text.tsx";
import { nestedCallsText } from "./nested-calls.tsx";
import { type PlacedResult, ResultBody } from "./result.tsx";

interface Props {
  name: string;
  call: CallPart;
  /** The results of this call; empty while it runs, or if it was aborted. */
  results: readonly PlacedResult[];
}

export function Call({ name, call, results }: Props) {
  const display = useContext(DisplayContext);
  const { highlightPattern, folder } = display;
  const summary = summarizeCall(call.name, call.arguments, folder);
  const hasFailed = results.some(({ isError }) => isError);
  const failedInside = results.map(({ nested }) => formatFailedCalls(nested?.calls ?? [])).filter(Boolean);
  const outcome = hasFailed ? "failed" : failedInside.length > 0 ? "partly" : "done";
  if (display.failedOnly && outcome === "done") return null; // not what was filtered for
  const argument = call.arguments.path ?? call.arguments.file_path ?? call.arguments.filePath;
  const path = typeof argument === "string" ? argument : undefined;
  const isRead = /read|view|cat/i.test(summary.name);
  const language = isRead && path !== undefined ? findFileLanguage(path) : undefined;
  const diffs = results.flatMap(({ diff }) => diff || []);
  // Diffs leave out lines that did not change: a match in them is in the arguments alone.
  const shown = [summary.about, ...(diffs.length > 0 ? diffs : (summary.edit?.lines ?? []))];
  const isCutOff =
    Object.values(call.arguments).some(
      (value) => typeof value === "string" && containsMatch(highlightPattern, value),
    ) && !shown.some((text) => containsMatch(highlightPattern, text));
  return (
    <CallCard
      {...{ name, call, summary }}
      outcome={results.length === 0 ? "unknown" : outcome}
      note={failedInside.length > 0 && <span class="call-failed-inside">{failedInside.join(", ")}</span>}
      isFound={
        containsText(highlightPattern, () => listStrings(call.arguments)) ||
        results.some((result) => containsText(patternAt(display, result.line), () => listTexts(result)))
      }
      hasDiff={diffs.length === 0}
      showsArguments={isCutOff}
    >
      {results.map((result) => (
        <ResultBody key={result.line} name={`${name}/${result.line}`} {...{ result, language, path }} />
      ))}
    </CallCard>
  );
}

function containsText(pattern: RegExp | undefined, listTexts: () => readonly string[]): boolean {
  return pattern !== undefined && listTexts().some((text) => containsMatch(pattern, text));
}

/** Arguments as they are shown: texts, and JSON. */
function listStrings(args: Record<string, unknown>): string[] {
  return Object.values(args).map((value) => (typeof value === "string" ? value : toSafeJson(value, 2)));
}

function listTexts({ nested, diff, content }: PlacedResult): string[] {
  return [
    nested ? nestedCallsText(nested) : "",
    diff ?? "",
    ...content.map((part) => (part.kind === "text" ? part.text : "")),
  ];
}
