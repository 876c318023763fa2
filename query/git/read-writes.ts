import { basename } from "node:path";
import { findHome } from "../../src/environment.ts";
import type { Entry } from "../../src/session/entries.ts";
import type { FileChange } from "../../src/session/file-change.ts";
import { extractFileChanges } from "../../src/session/file-changes.ts";
import { parseNestedCalls } from "../../src/session/nested-calls.ts";
import { parseEntry } from "../../src/session/parse.ts";
import { extractToolCalls } from "../../src/session/text.ts";
import type { EntryRow, TouchConditions, TouchRow } from "../../src/store/entry-reads.ts";
import type { Store } from "../../src/store/store.ts";
import { findCopiedPositions } from "../copies.ts";
import { EntryReader } from "../entry-reader.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { type Repository, toRealPath, toTreePath } from "./repository.ts";
import { parseShownDiff } from "./shown-diff.ts";

/** A path that sessions touched: a file in one of the working trees. */
interface TouchedFile {
  tree: string;
  file: string;
}

/** Results of calls are at most this many lines after the calls: other results and notes come between them. */
const MAX_LINES_TO_RESULT = 60;

/**
 * The paths in a repository that sessions touched, by the store's id.
 *
 * @param files only these, in any working tree; all if undefined
 */
export async function findTouchedFiles(
  store: Store,
  { trees }: Repository,
  files: ReadonlySet<string> | undefined,
): Promise<Map<number, TouchedFile>> {
  const names = files && new Set([...files].map((file) => basename(file)));
  const [name] = names ?? [];
  const rows = await (await store.entries()).listPaths(
    names?.size === 1 && name ? { ending: name } : undefined,
  );
  const realPaths = new Map<string, string>();
  const found = new Map<number, TouchedFile>();
  const home = findHome();
  for (const { id, path } of rows) {
    if (names && !names.has(path.slice(path.search(/[^/\\]*$/)))) continue;
    const absolute = path.startsWith("~/") && home !== undefined ? home + path.slice(1) : path;
    const touched = toTouchedFile(trees, toRealPath(absolute, realPaths));
    if (touched && (!files || files.has(touched.file))) found.set(id, touched);
  }
  return found;
}

/** Working trees may be inside of others: the innermost one counts. */
function toTouchedFile(trees: readonly string[], path: string): TouchedFile | undefined {
  return trees
    .flatMap((tree) => {
      const file = toTreePath(tree, path);
      return file === undefined ? [] : [{ tree, file }];
    })
    .sort((a, b) => b.tree.length - a.tree.length)[0];
}

/** The successful calls that wrote these files, in order of time. Those that forks have copies of count for the oldest session. */
export async function readWrites(
  store: Store,
  touched: ReadonlyMap<number, TouchedFile>,
): Promise<RecordedWrite[]> {
  if (touched.size === 0) return [];
  const entries = await store.entries();
  const conditions: TouchConditions = {
    paths: [...touched.keys()],
    session: { kind: "all", of: [] },
    actions: ["edit", "write", "use"],
  };
  const { sums, shared } = await entries.sumTouches(conditions);
  const copied = findCopiedPositions(shared);
  const sessions = [...new Set(sums.map(({ file_id }) => file_id))];
  const rows = (await entries.listTouches(conditions, sessions)).filter(
    ({ position }) => !copied.has(position),
  );
  const versions = new Map((await store.sessions.get(sessions)).map((row) => [row.file_id, row]));
  const writes: Omit<RecordedWrite, "id">[] = [];
  for (const [session, ofSession] of Map.groupBy(rows, ({ file_id }) => file_id)) {
    const info = versions.get(session);
    if (info) writes.push(...(await readSessionWrites(store, info, ofSession, touched)));
  }
  return writes
    .sort((a, b) => a.time - b.time || a.session - b.session || a.line - b.line)
    .map((write, id) => ({ id, ...write }));
}

interface SessionFile {
  file_id: number;
  path: string;
  version: number;
}

async function readSessionWrites(
  store: Store,
  session: SessionFile,
  touches: readonly TouchRow[],
  touched: ReadonlyMap<number, TouchedFile>,
): Promise<Omit<RecordedWrite, "id">[]> {
  const callLines = new Set(touches.map(({ line }) => line));
  const window = new Set(
    [...callLines].flatMap((line) => Array.from({ length: MAX_LINES_TO_RESULT + 1 }, (_, n) => line + n)),
  );
  const rows = (await (await store.entries()).list(session.file_id, { lines: [...window] })).filter(
    ({ line, role }) => callLines.has(line) || role === "toolResult",
  );
  const reader = await EntryReader.open(store, session, rows);
  try {
    const entries: { row: EntryRow; entry: Entry }[] = [];
    for (const row of rows) {
      const { id, parentId, ...place } = row;
      const entry = await reader.readEntry({ ...place, entry_id: id, parent_id: parentId }, parseEntry);
      entries.push({ row, entry });
    }
    return toWrites(session.file_id, entries, touches, touched);
  } finally {
    reader.close();
  }
}

/** A call that succeeded, with its place among the calls of its entry. */
interface SuccessfulCall {
  ordinal: number;
  name: string | undefined;
  arguments: Record<string, unknown> | undefined;
  details: unknown;
  time: number;
}

function toWrites(
  session: number,
  entries: readonly { row: EntryRow; entry: Entry }[],
  touches: readonly TouchRow[],
  touched: ReadonlyMap<number, TouchedFile>,
): Omit<RecordedWrite, "id">[] {
  const byLine = Map.groupBy(touches, ({ line }) => line);
  return entries.flatMap(({ row, entry }, n) => {
    const own = byLine.get(row.line);
    if (!own) return [];
    const calls = row.role === "toolResult" ? nestedCalls(row, entry) : successfulCalls(entries, n);
    return calls.flatMap((call) => {
      const files = new Map(
        own.flatMap(({ ordinal, path_id }) => {
          const file = touched.get(path_id);
          return ordinal === call.ordinal && file ? [[path_id, file] as const] : [];
        }),
      );
      const changes = extractFileChanges(call.name, call.arguments);
      return [...files.values()].flatMap(({ tree, file }) =>
        changesOf(changes, file).map((change): Omit<RecordedWrite, "id"> => {
          const shown = changes.length === 1 ? parseShownDiff(call.details) : [];
          return { session, line: row.line, time: call.time, tree, file, change, shown };
        }),
      );
    });
  });
}

/** The changes of a file: of a patch for several files, those of the file with the same name. */
function changesOf(changes: readonly FileChange[], file: string): FileChange[] {
  if (changes.length <= 1) return [...changes];
  const name = basename(file);
  return changes.filter(
    ({ path }) =>
      path === file ||
      file.endsWith(`/${path}`) ||
      path.endsWith(`/${file}`) ||
      (basename(path) === name && changes.filter((other) => basename(other.path) === name).length === 1),
  );
}

/** The calls of a message that succeeded. */
function successfulCalls(
  entries: readonly { row: EntryRow; entry: Entry }[],
  position: number,
): SuccessfulCall[] {
  const { row, entry } = entries[position] as { row: EntryRow; entry: Entry };
  const calls = extractToolCalls(entry);
  const successful: SuccessfulCall[] = [];
  const missing = new Map(calls.map(({ id }, ordinal) => [id, ordinal]));
  for (const later of entries.slice(position + 1)) {
    if (missing.size === 0 || later.row.line > row.line + MAX_LINES_TO_RESULT) break;
    if (later.entry.type !== "message" || later.entry.message?.role !== "toolResult") continue;
    const { toolCallId, isError, details } = later.entry.message;
    const ordinal = missing.get(toolCallId ?? undefined);
    const call = ordinal === undefined ? undefined : calls[ordinal];
    if (!call || ordinal === undefined) continue;
    missing.delete(toolCallId ?? undefined);
    const time = later.row.timestamp ?? row.timestamp;
    if (isError === true || time === null) continue;
    successful.push({ ordinal, name: call.name, arguments: call.arguments, details, time });
  }
  return successful;
}

/** The calls that a tool made itself, as its result records them. */
function nestedCalls(row: EntryRow, entry: Entry): SuccessfulCall[] {
  if (entry.type !== "message" || entry.message?.role !== "toolResult" || row.timestamp === null) return [];
  const time = row.timestamp;
  const { calls = [] } = parseNestedCalls(entry.message) ?? {};
  return calls.flatMap((call, ordinal) =>
    call.status === "ok"
      ? [{ ordinal, name: call.name, arguments: call.arguments, details: undefined, time }]
      : [],
  );
}
