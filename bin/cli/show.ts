import type { EntriesOptions, Index, LocatedEntry, SessionInfo } from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines, writeJsonList } from "./json.ts";
import { redirectToFile } from "./redirect-to-file.ts";
import { EXIT, withIndex } from "./run.ts";
import { formatEntry } from "./transcript.ts";

/** `pidex show`, to stdout or to a file. */
export async function run(io: Io, args: string[], flags: Flags<"show">): Promise<number> {
  if (flags.export === undefined)
    return show(io, args, flags, flags.redact ? await loadRedactor() : undefined);
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  await redirectToFile(flags.export, { io, replace: flags.force === true, redactor }, (into) =>
    show(into, args, flags, redactor),
  );
  return EXIT.done;
}

/**
 * Prints entries one by one, so that a session can have any size. Secrets are masked in each text before it is formatted,
 * because formatting cuts and joins texts.
 */
async function show(
  io: Io,
  [session = "", entryId]: string[],
  flags: Flags<"show">,
  redactor: Redactor | undefined,
): Promise<number> {
  const masked = <T>(value: T): T => (redactor ? redactor.redactValue(value) : value);
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    if (flags.context) return showContext(io, index, info, flags, masked);
    if (entryId !== undefined) return showEntry(io, index, info, entryId, flags, masked);
    const branch = branchOf(flags);
    if (flags.leaf !== undefined) await index.branch(info.path, flags.leaf); // before anything is written
    const entries = each(index.entries(info.path, { branch }), masked);
    if (flags.json) await writeJsonList(io, { session: masked(info) }, "entries", entries);
    else if (flags.ndjson) await writeJsonLines(io, entries);
    else {
      await io.out(heading(io, masked(info)));
      for await (const { entry } of entries) {
        await io.out(formatEntry(entry, { io, full: flags.full === true }));
      }
    }
    return EXIT.done;
  });
}

/** Returns a value with its secrets masked. */
type Masking = <T>(value: T) => T;

async function* each(entries: AsyncIterable<LocatedEntry>, masked: Masking): AsyncGenerator<LocatedEntry> {
  for await (const placed of entries) yield masked(placed);
}

function branchOf({ all, leaf }: Flags<"show">): EntriesOptions["branch"] {
  if (leaf !== undefined) return { leaf };
  return all ? "all" : "current";
}

async function showEntry(
  io: Io,
  index: Index,
  info: SessionInfo,
  entryId: string,
  { json, ndjson }: Flags<"show">,
  masked: Masking,
): Promise<number> {
  const placed = masked(await index.entry(info.path, entryId));
  if (json) await writeJson(io, { session: masked(info), entries: [placed] });
  else if (ndjson) await writeJsonLines(io, [placed]);
  else await io.out(formatEntry(placed.entry, { io, full: true }));
  return EXIT.done;
}

async function showContext(
  io: Io,
  index: Index,
  info: SessionInfo,
  { leaf, json, ndjson }: Flags<"show">,
  masked: Masking,
): Promise<number> {
  const context = masked(await index.context(info.path, leaf));
  if (json || ndjson) {
    await writeJson(io, { session: masked(info), context });
    return EXIT.done;
  }
  const model = context.model ? `${context.model.provider}/${context.model.modelId}` : "none";
  const messages = formatCount(context.messages.length, "message");
  await io.out(`${messages}, model ${toOneLine(model)}, thinking ${toOneLine(context.thinkingLevel)}\n\n`);
  for (const message of context.messages) {
    await io.out(
      formatEntry({ type: "message", message, timestamp: isoOf(message.timestamp) }, { io, full: true }),
    );
  }
  return EXIT.done;
}

function isoOf(milliseconds: unknown): string | undefined {
  const date = new Date(typeof milliseconds === "number" ? milliseconds : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function heading(io: Io, info: SessionInfo): string {
  const facts: [string, string | undefined][] = [
    ["id", info.id],
    ["file", info.path],
    ["folder", info.cwd || undefined],
    ["forked from", info.parentSessionPath],
    ["started by", info.startedBy],
    ["created", formatDateTime(info.created)],
    ["modified", formatDateTime(info.modified)],
    ["entries", `${info.entryCount} (${formatCount(info.messageCount, "message")})`],
    ["model", info.model && [info.provider, info.model].filter(Boolean).join("/")],
    ["problems", info.problemCount > 0 ? String(info.problemCount) : undefined],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${io.style("dim", name.padEnd(12))}${toOneLine(value)}\n`],
  );
  const title = io.isTerminal ? truncate(getSessionTitle(info), io.columns) : getSessionTitle(info);
  return `${io.style("bold", title)}\n${lines.join("")}\n`;
}
