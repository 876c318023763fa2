import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import { isHighlighting } from "../highlight/browser-highlighter.ts";
import { ApiError, apiGet, delay, useLoaded } from "../shell/api.ts";
import { Dialog, DialogButtons } from "../shell/dialog.tsx";
import { ErrorMessage } from "../shell/error-message.tsx";
import type { EntrySource } from "./transcript-row.tsx";
import type { TranscriptRows } from "./transcript-rows.ts";

interface Props {
  path: string;
  rows: TranscriptRows;
  renderRow: (rows: TranscriptRows, row: number, store: EntrySource) => ComponentChildren;
  /** Printed, canceled or failed. */
  onEnd: () => void;
}

/** Browsers take minutes to lay out more. */
const MAX_PRINTED_ENTRIES = 5000;
/** Entries per request. */
const BATCH_SIZE = 120;
/** How long to wait for images and the colors of code, and between checks. */
const MAX_WAIT_MS = 10_000;
const WAIT_STEP_MS = 50;

/**
 * All rows of the transcript, visible only on paper, because the transcript on the screen has only those around the visible ones.
 * Opens the browser's print dialog once they are drawn.
 */
export function PrintedRows({ path, renderRow, onEnd, ...props }: Props) {
  const [rows] = useState(props.rows); // those that arrive meanwhile are not printed
  const list = useRef<HTMLOListElement>(null);
  const { data: store, error } = useLoaded(path, 0, (signal) => loadAll(path, rows, signal));
  useEffect(() => {
    if (!store) return undefined;
    const stop = new AbortController();
    addEventListener("afterprint", onEnd);
    untilDrawn(list.current as Element, stop.signal).then(
      () => print(),
      () => {}, // canceled
    );
    return () => {
      stop.abort();
      removeEventListener("afterprint", onEnd);
    };
  }, [store]);
  return (
    <>
      {store && (
        <ol class="transcript-printed" ref={list}>
          {Array.from({ length: rows.count }, (_, row) => (
            <li key={row} class={`row${rows.isContinued(row) ? " row-continued" : ""}`}>
              {renderRow(rows, row, store)}
            </li>
          ))}
        </ol>
      )}
      <Dialog title="Print" onClose={onEnd}>
        {error === undefined ? (
          <p class="dialog-text" role="status">
            Preparing the session…
          </p>
        ) : (
          <ErrorMessage error={error} />
        )}
        <DialogButtons cancel={error === undefined ? "Cancel" : "Close"} onCancel={onEnd} />
      </Dialog>
    </>
  );
}

async function loadAll(path: string, rows: TranscriptRows, signal: AbortSignal): Promise<EntrySource> {
  const lines = rows.count === 0 ? [] : rows.listBatchLines(0, rows.count - 1);
  if (lines.length > MAX_PRINTED_ENTRIES) {
    throw new ApiError({
      code: "TOO_LARGE",
      message: `${formatCount(lines.length, "entry", "entries")} are too many to print`,
      hint: "Show fewer, such as prompts and answers, or export the session as HTML.",
    });
  }
  const loaded = new Map<number, LocatedEntryJson>();
  for (let start = 0; start < lines.length; start += BATCH_SIZE) {
    const batch = lines.slice(start, start + BATCH_SIZE).join(",");
    const { entries } = await apiGet("entries", { session: path, lines: batch }, signal);
    for (const entry of entries) loaded.set(entry.line, entry);
  }
  return loaded;
}

/** Waits for images and the colors of code, but not forever. */
async function untilDrawn(element: Element, signal: AbortSignal): Promise<void> {
  const isWaiting = () =>
    isHighlighting() ||
    element.querySelector(".picture:not(:has(img, .quiet))") !== null ||
    [...element.querySelectorAll("img")].some((image) => !image.complete);
  let waitedMs = 0;
  do {
    await delay(WAIT_STEP_MS, signal);
    waitedMs += WAIT_STEP_MS;
  } while (isWaiting() && waitedMs < MAX_WAIT_MS);
}
