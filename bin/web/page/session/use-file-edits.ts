/** The files that the displayed branch changed. */
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import type { MessageEdits } from "../../../format/file-edits.ts";
import { apiGet, delay } from "../shell/api.ts";
import type { BranchRows } from "./branch-rows.ts";
import { isEditRow } from "./transcript-rows.ts";

/** What a branch did to a file. */
export interface ChangedFile {
  path: string;
  /** The messages that changed it, in order. */
  edits: FileStop[];
  count: number;
  added: number;
  removed: number;
}

/** A message that changed a file. */
interface FileStop {
  line: number;
  /** The positions of the calls that did, among the parts of the message. */
  parts: number[];
}

/** Lines per request. */
const BATCH_SIZE = 400;
/** The most lines that are loaded before the list is looked at, and the pause after each request. */
const MAX_UNSEEN_LINES = 4000;
const PAUSE_MS = 250;
/** The transcript loads first. */
const LOAD_DELAY_MS = 500;

/** @param isLooked whether the list is displayed */
export function useFileEdits(session: string, rows: BranchRows | undefined, isLooked: boolean) {
  const [loaded, countLoaded] = useReducer((count: number) => count + 1, 0);
  /** By the lines of a message and its results: a result that arrives makes them others. */
  const known = useMemo(() => new Map<string, MessageEdits["edits"]>(), [session, rows?.tree.origin]);
  const isDue = useDelay(isLooked ? 0 : LOAD_DELAY_MS);
  const messages = useMemo(() => (rows && isDue ? listEditMessages(rows) : undefined), [rows, isDue]);
  const { missing, wanted } = useMemo(() => {
    const missing = (messages ?? []).filter((lines) => !known.has(lines.join()));
    const isWanted = isLooked || missing.flat().length <= MAX_UNSEEN_LINES;
    return { missing, wanted: isWanted ? missing.map((lines) => lines.join()).join(";") : "" };
  }, [messages, known, loaded, isLooked]);
  useEffect(() => {
    if (wanted === "") return undefined;
    const stop = new AbortController();
    // Errors are not shown: the transcript reports problems with the file.
    load({ session, messages: missing, known, pauseMs: isLooked ? 0 : PAUSE_MS }, stop.signal).then(
      () => countLoaded(undefined as never),
      () => {},
    );
    return () => stop.abort();
  }, [session, known, wanted, isLooked]);
  const isComplete = missing.length === 0;
  return useMemo(
    () => (messages && isComplete ? sumByFile(messages, known) : undefined),
    [messages, known, isComplete, loaded],
  );
}

/** Whether some time has passed. */
function useDelay(ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}

/** The lines of each message of a branch that may have changed files, with those of its results. */
function listEditMessages(rows: BranchRows): number[][] {
  const messages: number[][] = [];
  for (let row = 0; row < rows.count; row++)
    if (isEditRow(rows, row))
      messages.push(Array.from(rows.positions(row), (position) => rows.tree.line[position] as number));
  return messages;
}

interface Loading {
  session: string;
  messages: readonly number[][];
  known: Map<string, MessageEdits["edits"]>;
  pauseMs: number;
}

async function load({ session, messages, known, pauseMs }: Loading, signal: AbortSignal): Promise<void> {
  for (let start = 0; start < messages.length; ) {
    const batch: number[][] = [];
    let size = 0;
    for (let next = messages[start]; next && size + next.length <= BATCH_SIZE; next = messages[start]) {
      batch.push(next);
      size += next.length;
      start++;
    }
    if (batch.length === 0) {
      // A message with more calls than a request may have lines: its first ones.
      batch.push(messages[start++] as number[]);
    }
    const lines = batch.flatMap((message) => message.slice(0, BATCH_SIZE)).join();
    const answer = await apiGet("edits", { session, lines }, signal);
    const byLine = new Map(answer.messages.map(({ line, edits }) => [line, edits]));
    for (const message of batch) known.set(message.join(), byLine.get(message[0] as number) ?? []);
    if (start < messages.length) await delay(pauseMs, signal);
  }
}

/** The files in order of their paths. */
function sumByFile(
  messages: readonly number[][],
  known: ReadonlyMap<string, MessageEdits["edits"]>,
): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const lines of messages) {
    for (const { path, added, removed, part } of known.get(lines.join()) ?? []) {
      const file = files.get(path) ?? { path, edits: [], count: 0, added: 0, removed: 0 };
      files.set(path, file);
      file.count++;
      file.added += added;
      file.removed += removed;
      const line = lines[0] as number;
      const last = file.edits.at(-1);
      if (last?.line === line) last.parts.push(part);
      else file.edits.push({ line, parts: [part] });
    }
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
