/** A tool call on one line, which opens to its arguments, its change and its result. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { CallSummary } from "../../../format/edits.ts";
import { Arguments } from "./arguments.tsx";
import { Diff, DiffCounts } from "./diff.tsx";
import { DisplayContext } from "./display-options.ts";
import { Foldable } from "./foldable.tsx";
import { HighlightedText } from "./highlighted-text.tsx";

/** The outcome of a call as a symbol, its label and its style. */
const OUTCOMES = {
  done: ["✓", "done", "outcome-done"],
  failed: ["✕", "failed", "outcome-failed"],
  partly: ["!", "done, but nested calls failed", "outcome-partly"],
  unknown: ["·", "no result", "outcome-unknown"],
  unfinished: ["·", "not finished", "outcome-unknown"],
} as const;

interface Props {
  name: string;
  class?: string;
  call: { name: string | undefined; arguments: Record<string, unknown> | undefined };
  summary: CallSummary;
  outcome: keyof typeof OUTCOMES;
  /** Shown at the end of the line. */
  note: ComponentChildren;
  /** Whether the card contains highlighted words. */
  isFound: boolean;
  /** False if the children already show the change. */
  hasDiff: boolean;
  /** Whether arguments that the change covers are shown, too. */
  showsArguments?: boolean;
  children: ComponentChildren;
}

export function CallCard({ name, call, summary, outcome, note, isFound, hasDiff, ...props }: Props) {
  const { failedOnly = false, opensEdits = false } = useContext(DisplayContext);
  const { edit } = summary;
  const args = call.arguments ?? {};
  const [symbol, label, style] = OUTCOMES[outcome];
  const classes = ["call", outcome === "failed" && "call-failed", props.class].filter(Boolean).join(" ");
  const line = (
    <span class="call-summary">
      <span class={`outcome ${style}`} role="img" aria-label={label} title={label}>
        {symbol}
      </span>
      <span class="call-name">{summary.name}</span>{" "}
      <span class="call-about" title={edit?.about || undefined}>
        <HighlightedText text={summary.about} />
      </span>
      {edit && outcome !== "failed" && <DiffCounts added={edit.added} removed={edit.removed} />}
      {note}
    </span>
  );
  return (
    <Foldable
      class={classes}
      {...{ name, isFound }}
      startsOpen={
        (opensEdits && edit !== undefined) || (failedOnly && (outcome === "failed" || outcome === "partly"))
      }
      summary={line}
    >
      <div class="call-inside">
        <Arguments
          name={`${name}/args`}
          tool={call.name}
          args={args}
          hidden={props.showsArguments ? undefined : edit?.coveredArguments}
        />
        {edit && hasDiff && <Diff name={`${name}/diff`} text={edit.lines.join("\n")} path={edit.about} />}
        {props.children}
      </div>
    </Foldable>
  );
}
