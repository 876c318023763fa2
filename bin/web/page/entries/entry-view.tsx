/** Renders an entry of a session. Its content becomes text and known elements, never markup. */
import { useMemo } from "preact/hooks";
import type { EntryKind, Heading, MentionedFile, Part } from "../../../format/parts.ts";
import { toOneLine } from "../../../format/safe.ts";
import { findToolResult, toTranscript } from "../../../format/transcript.ts";
import {
  DisplayContext,
  type EntryLinks,
  type FoldState,
  type PlacedEntryJson,
  toHighlightPattern,
} from "./display-options.ts";
import { Foldable } from "./foldable.tsx";
import { EntryHeading } from "./heading.tsx";
import { PartView } from "./part-view.tsx";
import { type PlacedResult, ResultBody } from "./result.tsx";

export type { EntryLinks, FoldState, PlacedEntryJson } from "./display-options.ts";

interface Props {
  placed: PlacedEntryJson;
  /** Entries with the results of this message's calls; shown with the calls. */
  results?: readonly PlacedEntryJson[];
  links: EntryLinks;
  folding?: FoldState | undefined;
  /** Words to highlight. */
  found?: string | undefined;
}

export function EntryView({ placed, results = [], links, folding, found }: Props) {
  const showing = useMemo(
    () => ({ links, folding, highlightPattern: toHighlightPattern(found) }),
    [links, folding, found],
  );
  return (
    <DisplayContext.Provider value={showing}>
      <EntryBody {...{ placed, results }} />
    </DisplayContext.Provider>
  );
}

function EntryBody({ placed, results }: { placed: PlacedEntryJson; results: readonly PlacedEntryJson[] }) {
  const { line } = placed;
  const { kind, heading, parts } = toTranscript(placed.entry);
  const returned = results.flatMap(({ entry, line }): PlacedResult[] => {
    const result = findToolResult(entry);
    return result ? [{ ...result, line }] : [];
  });
  const views = (some: readonly Part[]) =>
    some.map((part, n) => (
      <PartView key={n} name={`${line}/${part.kind}${n}`} {...{ part, line }} results={returned} />
    ));
  if (kind === "notice") return <>{views(parts)}</>;
  const summary = foldedSummary(kind, heading, parts);
  if (summary !== undefined) {
    return (
      <Foldable class="entry entry-folded" name={`${line}`} summary={summary}>
        {views(parts)}
      </Foldable>
    );
  }
  const calls = parts.flatMap((part) => (part.kind === "call" ? [part.id] : []));
  const unmatched =
    kind === "assistant"
      ? returned.filter(({ callId }) => callId === undefined || !calls.includes(callId))
      : [];
  // How a response ended is shown last, after its results.
  const end = parts.findIndex(({ kind }) => kind === "error" || kind === "aborted");
  return (
    <article class={`entry entry-${kind}`}>
      <EntryHeading heading={heading} failed={failureIn(parts)} />
      {views(end === -1 ? parts : parts.slice(0, end))}
      {unmatched.map((result) => (
        <ResultBody key={result.line} name={`${result.line}`} {...{ result }} />
      ))}
      {end !== -1 && views(parts.slice(end))}
    </article>
  );
}

/** The summary of an entry that is folded at first; undefined if it is shown open. */
function foldedSummary(kind: EntryKind, { who }: Heading, parts: readonly Part[]): string | undefined {
  if (kind === "system") return "System prompt";
  if (kind === "data" || kind === "unknown") return toOneLine(who.slice(0, 200));
  const [part] = parts;
  return part?.kind === "files" ? describeFiles(part.files) : undefined;
}

function describeFiles(files: readonly MentionedFile[]): string {
  return toOneLine(`files: ${files.map(({ path }) => path ?? "?").join(", ")}`.slice(0, 200));
}

function failureIn([part]: readonly Part[]): string | undefined {
  if (part?.kind !== "execution") return undefined;
  if (part.isCancelled) return "cancelled";
  return part.exitCode ? `failed with exit code ${part.exitCode}` : undefined;
}
