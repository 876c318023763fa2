import type { EntriesOptions, Index, SessionInfo } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines, writeJsonList } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { titleOf } from "./sessions.ts";
import { counted, cut, oneLine } from "./text.ts";
import { dayAndTime } from "./times.ts";
import { transcript } from "./transcript.ts";

interface Flags extends CommonOptions {
  all?: boolean;
  leaf?: string;
  full?: boolean;
  context?: boolean;
}

/** `pidex show`. Entries are read and written one by one, so that a session of any size goes through. */
export async function run(io: Io, [session = "", entryId]: string[], flags: Flags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    if (flags.context) return showContext(io, index, info, flags);
    if (entryId !== undefined) return showEntry(io, index, info, entryId, flags);
    const branch = branchOf(flags);
    if (flags.leaf !== undefined) await index.branch(info.path, flags.leaf); // before anything is written
    if (flags.json) {
      await writeJsonList(io, { session: info }, "entries", index.entries(info.path, { branch }));
    } else if (flags.ndjson) {
      await writeJsonLines(io, index.entries(info.path, { branch }));
    } else {
      await io.out(heading(io, info));
      for await (const { entry } of index.entries(info.path, { branch })) {
        await io.out(transcript(entry, { io, full: flags.full === true }));
      }
    }
    return EXIT.done;
  });
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
): Promise<number> {
  const placed = await index.entry(info.path, entryId);
  if (json) await writeJson(io, { session: info, entries: [placed] });
  else if (ndjson) await writeJsonLines(io, [placed]);
  else await io.out(transcript(placed.entry, { io, full: true }));
  return EXIT.done;
}

async function showContext(
  io: Io,
  index: Index,
  info: SessionInfo,
  { leaf, json, ndjson }: Flags,
): Promise<number> {
  const context = await index.context(info.path, leaf);
  if (json || ndjson) {
    await writeJson(io, { session: info, context });
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
    ["entries", `${info.entryCount}, ${info.messageCount} of them messages`],
    ["model", info.model && [info.provider, info.model].filter(Boolean).join("/")],
    ["problems", info.problemCount > 0 ? String(info.problemCount) : undefined],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${io.style("dim", name.padEnd(12))}${oneLine(value)}\n`],
  );
  const title = io.isTerminal ? cut(titleOf(info), io.columns) : titleOf(info);
  return `${io.style("bold", title)}\n${lines.join("")}\n`;
}
