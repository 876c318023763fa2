import type { EntriesOptions, Index, PlacedEntry, SessionInfo } from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { counted, oneLine } from "../format/safe.ts";
import { cut } from "../format/text.ts";
import { dayAndTime } from "../format/times.ts";
import { titleOf } from "../format/titles.ts";
import { intoFile } from "./into-file.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines, writeJsonList } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { transcript } from "./transcript.ts";

interface Flags extends CommonOptions {
  all?: boolean;
  leaf?: string;
  full?: boolean;
  context?: boolean;
  /** Mask secrets. Default: true for exports, else false. */
  redact?: boolean;
  export?: string;
  force?: boolean;
}

/** `pidex show`, to stdout or to a file. */
export async function run(io: Io, args: string[], flags: Flags): Promise<number> {
  if (flags.export === undefined)
    return show(io, args, flags, flags.redact ? await loadRedactor() : undefined);
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  await intoFile(flags.export, { io, replace: flags.force === true, redactor }, (into) =>
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
  flags: Flags,
  redactor: Redactor | undefined,
): Promise<number> {
  const masked = <T>(value: T): T => (redactor ? redactor.value(value) : value);
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
        await io.out(transcript(entry, { io, full: flags.full === true }));
      }
    }
    return EXIT.done;
  });
}

/** Returns a value with its secrets masked. */
type Masking = <T>(value: T) => T;

async function* each(entries: AsyncIterable<PlacedEntry>, masked: Masking): AsyncGenerator<PlacedEntry> {
  for await (const placed of entries) yield masked(placed);
}

function branchOf({ all, leaf }: Flags): EntriesOptions["branch"] {
  if (leaf !== undefined) return { leaf };
  return all ? "all" : "current";
}

async function showEntry(
  io: Io,
  index: Index,
  info: SessionInfo,
  entryId: string,
  { json, ndjson }: Flags,
  masked: Masking,
): Promise<number> {
  const placed = masked(await index.entry(info.path, entryId));
  if (json) await writeJson(io, { session: masked(info), entries: [placed] });
  else if (ndjson) await writeJsonLines(io, [placed]);
  else await io.out(transcript(placed.entry, { io, full: true }));
  return EXIT.done;
}

async function showContext(
  io: Io,
  index: Index,
  info: SessionInfo,
  { leaf, json, ndjson }: Flags,
  masked: Masking,
): Promise<number> {
  const context = masked(await index.context(info.path, leaf));
  if (json || ndjson) {
    await writeJson(io, { session: masked(info), context });
    return EXIT.done;
  }
  const model = context.model ? `${context.model.provider}/${context.model.modelId}` : "none";
  const messages = counted(context.messages.length, "message");
  await io.out(`${messages}, model ${oneLine(model)}, thinking ${oneLine(context.thinkingLevel)}\n\n`);
  for (const message of context.messages) {
    await io.out(
      transcript({ type: "message", message, timestamp: isoOf(message.timestamp) }, { io, full: true }),
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
    ["created", dayAndTime(info.created)],
    ["modified", dayAndTime(info.modified)],
    ["entries", `${info.entryCount} (${counted(info.messageCount, "message")})`],
    ["model", info.model && [info.provider, info.model].filter(Boolean).join("/")],
    ["problems", info.problemCount > 0 ? String(info.problemCount) : undefined],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${io.style("dim", name.padEnd(12))}${oneLine(value)}\n`],
  );
  const title = io.isTerminal ? cut(titleOf(info), io.columns) : titleOf(info);
  return `${io.style("bold", title)}\n${lines.join("")}\n`;
}
