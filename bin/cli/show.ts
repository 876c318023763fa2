import {
  type Entry,
  type EntryContext,
  type IndexQueries,
  type LocatedEntry,
  PidexError,
  type SessionInfo,
} from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { assertUnchanged, parseReference } from "../agents/citations.ts";
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
  const place = parseReference(reference); // piped hits begin with path:line
  const { session: name, entry, line } = place;
  const entryId = id ?? entry;
  const masked = <T>(value: T): T => (redactor ? redactor.redactValue(value) : value);
  await withIndexOrHub(io, flags, async (index) => {
    const found = await index.find(name);
    await assertUnchanged(index, found.path, place);
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
      const branch = leaf !== undefined ? { leaf } : all ? "all" : "current";
      const look = { io, full, folder: found.cwd };
      if (flags.tail === undefined) {
        const entries = each(index.entries(found.path, { branch }), masked);
        if (json) return writeJsonList(io, { session: toSessionJson(masked(found)) }, "entries", entries);
        if (ndjson) return writeJsonLines(io, entries);
        await io.out(heading(io, masked(withOneTitle(found))));
        for await (const { entry } of entries) await io.out(formatEntry(entry, look));
        return;
      }
      const entries = each(index.entries(found.path, { branch, backwards: true }), masked);
      const toText = (entry: Entry) => (json || ndjson ? undefined : formatEntry(entry, look));
      const last = await readLast(entries, flags.tail, toText);
      if (json)
        await writeJson(io, {
          session: toSessionJson(masked(found)),
          entries: last.map(({ located }) => located),
        });
      else if (ndjson)
        await writeJsonLines(
          io,
          last.map(({ located }) => located),
        );
      else await io.out([heading(io, masked(withOneTitle(found))), ...last.map(({ text }) => text)].join(""));
    }
  });
}

/** The title that headings show, without the message that it was computed from: secrets in both would be counted twice. */
function withOneTitle({ computedTitle, ...session }: SessionInfo): Omit<SessionInfo, "computedTitle"> {
  return computedTitle === undefined ? session : { ...session, firstMessage: computedTitle };
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

/** The last entries that are no metadata and have a text, in order. Reads no more than it needs. @param entries backwards */
async function readLast(
  entries: AsyncIterable<LocatedEntry>,
  count: number,
  toText: (entry: Entry) => string | undefined,
): Promise<{ located: LocatedEntry; text: string | undefined }[]> {
  const last: { located: LocatedEntry; text: string | undefined }[] = [];
  if (count === 0) return last;
  for await (const located of entries) {
    const text = toText(located.entry);
    if (METADATA.includes(located.entry.type) || text === "") continue;
    last.push({ located, text });
    if (last.length === count) break;
  }
  return last.reverse();
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
