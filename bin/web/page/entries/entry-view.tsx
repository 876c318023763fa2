/** Renders an entry of a session. Its content becomes text and known elements, never markup. */
import { useContext } from "preact/hooks";
import { type EntryKind, type Heading, NOTICE_KINDS, type Part } from "../../../format/parts.ts";
import { toOneLine } from "../../../format/safe.ts";
import { findToolResult, toTranscript } from "../../../format/transcript.ts";
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import { DisplayContext, EntryImagesContext, type PlacedImage } from "./display-options.ts";
import { Foldable } from "./foldable.tsx";
import { type AnswerSum, EntryHeading } from "./heading.tsx";
import { HighlightedEntry } from "./highlighted-text.tsx";
import { PartView } from "./part-view.tsx";
import { type PlacedResult, ResultBody } from "./result.tsx";

interface Props {
  placed: LocatedEntryJson;
  /** Entries with the results of this message's calls; shown with the calls. */
  results?: readonly LocatedEntryJson[];
  /** Whether it goes on with the answer above it, which has the same heading. */
  isContinued?: boolean;
  /** The answer that it begins. */
  answer?: AnswerSum | undefined;
}

export function EntryView({ placed, results = [], isContinued = false, answer }: Props) {
  const { line } = placed;
  const { hidesCalls } = useContext(DisplayContext);
  const { kind, heading, parts: all } = toTranscript(placed.entry);
  const parts = hidesCalls ? all.filter((part) => part.kind !== "call" && part.kind !== "thinking") : all;
  const returned = results.flatMap(({ entry, line }): PlacedResult[] => {
    const result = findToolResult(entry);
    return result ? [{ ...result, line }] : [];
  });
  const images = [...parts.map((part) => ({ part, line })), ...returned.flatMap(partsOfResult)].filter(
    isImage,
  );
  return (
    <EntryImagesContext.Provider value={images}>
      <HighlightedEntry line={line}>
        <EntryBody {...{ kind, heading, parts, line, returned, isContinued, answer }} />
      </HighlightedEntry>
    </EntryImagesContext.Provider>
  );
}

function partsOfResult({ content, line }: PlacedResult) {
  return content.map((part) => ({ part, line }));
}

function isImage(placed: { part: Part; line: number }): placed is PlacedImage {
  return placed.part.kind === "image";
}

interface BodyProps {
  kind: EntryKind;
  heading: Heading;
  parts: readonly Part[];
  line: number;
  returned: readonly PlacedResult[];
  isContinued: boolean;
  answer: AnswerSum | undefined;
}

function EntryBody({ kind, heading, parts, line, returned, isContinued, answer }: BodyProps) {
  const { hidesCalls } = useContext(DisplayContext);
  const views = (some: readonly Part[]) =>
    some.map((part, n) => (
      <PartView key={n} name={`${line}/${part.kind}${n}`} {...{ part, line }} results={returned} />
    ));
  if (NOTICE_KINDS.has(kind)) return <>{views(parts)}</>;
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
    kind === "assistant" && !hidesCalls
      ? returned.filter(({ callId }) => callId === undefined || !calls.includes(callId))
      : [];
  // How a response ended is shown last, after its results.
  const end = parts.findIndex(({ kind }) => kind === "error" || kind === "aborted");
  return (
    <article class={`entry entry-${kind}${isContinued ? " entry-continued" : ""}`}>
      <EntryHeading heading={heading} failed={failureIn(parts)} answer={answer} />
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
  if (part?.kind !== "files") return undefined;
  return toOneLine(`files: ${part.files.map(({ path }) => path ?? "?").join(", ")}`.slice(0, 200));
}

function failureIn([part]: readonly Part[]): string | undefined {
  if (part?.kind !== "execution") return undefined;
  if (part.isCancelled) return "cancelled";
  return part.exitCode ? `failed with exit code ${part.exitCode}` : undefined;
}
