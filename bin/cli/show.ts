import {
  type Entry,
  type EntryContext,
  type IndexQueries,
  type LocatedEntry,
  PidexError,
  type SessionInfo,
} from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { parseReference } from "../agents/citations.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { formatModifiedTime } from "../format/sessions.ts";
import { getTitleAsHeading } from "../format/short-titles.ts";
import { truncate } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines, writeJsonList } from "./json.ts";
import { withPager } from "./pager.ts";
import { redirectToFile } from "./redirect-to-file.ts";
import { withIndexOrHub } from "./run.ts";
import { toSessionJson } from "./session-json.ts";
import { formatFacts } from "./table.ts";
import { formatEntry } from "./transcript.ts";

/** `pidex show`, to stdout or to a file. */
export async function run(io: Io, args: string[], flags: Flags<"show">): Promise<void> {
  if (flags.export === undefined) {
    const redactor = flags.redact ? await loadRedactor() : undefined;
    await withPager(io, flags, (paged) => show(paged, args, flags, redactor));
    return;
  }
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  await redirectToFile(flags.export, { io, replace: flags.force === true, redactor }, (into) =>
    show(into, args, flags, redactor),
  );
}

/**
 * Prints entries one by one, so that a session can have any size. Secrets are masked in each text before it is formatted,
 * because formatting cuts and joins texts.
 */
async function show(
  io: Io,
  [reference = "", id]: string[],
  flags: Flags<"show">,
  redactor: Redactor | undefined,
): Promise<void> {
  const { json, ndjson, leaf, all, full = false } = flags;
  const { session: name, entry, line } = parseReference(reference); // piped hits begin with path:line
  const entryId = id ?? entry;
  const masked = <T>(value: T): T => (redactor ? redactor.redactValue(value) : value);
  await withIndexOrHub(io, flags, async (index) => {
    const found = await index.find(name);
    if (flags.context) {
      const context = masked(await index.context(found.path, leaf));
      if (json || ndjson) await writeJson(io, { session: toSessionJson(masked(found)), context });
      else await writeContext(io, context);
    } else if (entryId !== undefined || line !== undefined) {
      const located = masked(
        entryId === undefined
          ? await readEntryOnLine(index, found.path, line as number)
          : await index.entry(found.path, entryId),
      );
      if (json) await writeJson(io, { session: toSessionJson(masked(found)), entries: [located] });
      else if (ndjson) await writeJsonLines(io, [located]);
      else await io.out(formatEntry(located.entry, { io, full: true }));
    } else {
      if (leaf !== undefined) await index.branch(found.path, leaf); // before anything is written
      const lines = flags.tail === undefined ? undefined : await linesOf(index, found.path, flags);
      const whole = leaf !== undefined ? { leaf } : all ? "all" : "current";
      const branch = lines ? { lines: lines.slice(-(flags.tail ?? 0)) } : whole;
      const entries = each(index.entries(found.path, { branch }), masked);
      if (json) await writeJsonList(io, { session: toSessionJson(masked(found)) }, "entries", entries);
      else if (ndjson) await writeJsonLines(io, entries);
      else {
        const look = { io, full, folder: found.cwd };
        await io.out(heading(io, masked(found)));
        if (lines) {
          const format = (entry: Entry) => formatEntry(masked(entry), look);
          return io.out((await readTail(index, found.path, lines, flags.tail ?? 0, format)).join(""));
        }
        for await (const { entry } of entries) await io.out(formatEntry(entry, look));
      }
    }
  });
}

/** @throws PidexError `NOT_FOUND` if the line has no entry */
async function readEntryOnLine(index: IndexQueries, path: string, line: number): Promise<LocatedEntry> {
  const [located] = await Array.fromAsync(index.entries(path, { branch: { lines: [line] } }));
  if (located) return located;
  const hint = "Use a line that pidex search prints, or the id of an entry.";
  throw new PidexError("NOT_FOUND", `no entry on line ${line} of ${path}`, hint);
}

/** Entries that describe the session or others: of what was said last, they are no part. */
const METADATA = ["custom", "label", "session_info"];

/** The lines of the entries that `show --tail` may print, in order. */
async function linesOf(index: IndexQueries, path: string, { all, leaf }: Flags<"show">): Promise<number[]> {
  const entries = all && leaf === undefined ? await index.treeEntries(path) : await index.branch(path, leaf);
  return entries.flatMap(({ type, line }) => (METADATA.includes(type) ? [] : line));
}

/** The last entries that have a text, formatted. Reads no more than it needs. */
async function readTail(
  index: IndexQueries,
  path: string,
  lines: readonly number[],
  count: number,
  format: (entry: Entry) => string,
): Promise<string[]> {
  const texts: string[] = [];
  for (let end = lines.length; end > 0 && texts.length < count; end -= count) {
    const branch = { lines: lines.slice(Math.max(0, end - count), end) };
    const read = await Array.fromAsync(index.entries(path, { branch }), ({ entry }) => format(entry));
    texts.unshift(...read.filter((text) => text !== ""));
  }
  return texts.slice(-count);
}

async function* each<T>(values: AsyncIterable<T>, change: (value: T) => T): AsyncGenerator<T> {
  for await (const value of values) yield change(value);
}

async function writeContext(io: Io, { model, messages, thinkingLevel }: EntryContext): Promise<void> {
  const name = model ? `${model.provider}/${model.modelId}` : "none";
  const count = formatCount(messages.length, "message");
  await io.out(`${count}, model ${toOneLine(name)}, thinking ${toOneLine(thinkingLevel)}\n\n`);
  for (const message of messages) {
    const entry = { type: "message" as const, message, timestamp: isoOf(message.timestamp) };
    await io.out(formatEntry(entry, { io, full: true }));
  }
}

function isoOf(milliseconds: unknown): string | undefined {
  const date = new Date(typeof milliseconds === "number" ? milliseconds : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function heading(io: Io, info: SessionInfo): string {
  const facts = {
    id: info.id,
    file: info.path,
    cwd: info.cwd || undefined,
    "forked from": info.parentSessionPath,
    "started by": info.startedBy,
    created: formatDateTime(info.created),
    modified: formatModifiedTime(info),
    entries: `${formatInteger(info.entryCount)} (${formatCount(info.messageCount, "message")})`,
    model: info.model && [info.provider, info.model].filter(Boolean).join("/"),
    problems: info.problemCount > 0 ? formatInteger(info.problemCount) : undefined,
  };
  const title = io.isTerminal ? truncate(getSessionTitle(info), io.columns) : getTitleAsHeading(info);
  return `${io.style("bold", title)}\n${formatFacts(io, facts, 12)}\n`;
}
