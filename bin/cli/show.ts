import type { EntryContext, SessionInfo } from "../../library/index.ts";
import { loadRedactor, type Redactor } from "../../library/internal.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines, writeJsonList } from "./json.ts";
import { redirectToFile } from "./redirect-to-file.ts";
import { withIndexOrHub } from "./run.ts";
import { formatFacts } from "./table.ts";
import { formatEntry } from "./transcript.ts";

/** `pidex show`, to stdout or to a file. */
export async function run(io: Io, args: string[], flags: Flags<"show">): Promise<void> {
  if (flags.export === undefined)
    return show(io, args, flags, flags.redact ? await loadRedactor() : undefined);
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
  [name = "", entryId]: string[],
  flags: Flags<"show">,
  redactor: Redactor | undefined,
): Promise<void> {
  const { json, ndjson, leaf, all, full = false } = flags;
  const masked = <T>(value: T): T => (redactor ? redactor.redactValue(value) : value);
  await withIndexOrHub(io, flags, async (index) => {
    const found = await index.find(name);
    if (flags.context) {
      const context = masked(await index.context(found.path, leaf));
      if (json || ndjson) await writeJson(io, { session: masked(found), context });
      else await writeContext(io, context);
    } else if (entryId !== undefined) {
      const located = masked(await index.entry(found.path, entryId));
      if (json) await writeJson(io, { session: masked(found), entries: [located] });
      else if (ndjson) await writeJsonLines(io, [located]);
      else await io.out(formatEntry(located.entry, { io, full: true }));
    } else {
      if (leaf !== undefined) await index.branch(found.path, leaf); // before anything is written
      const branch = leaf !== undefined ? { leaf } : all ? "all" : "current";
      const entries = each(index.entries(found.path, { branch }), masked);
      if (json) await writeJsonList(io, { session: masked(found) }, "entries", entries);
      else if (ndjson) await writeJsonLines(io, entries);
      else {
        await io.out(heading(io, masked(found)));
        for await (const { entry } of entries) await io.out(formatEntry(entry, { io, full }));
      }
    }
  });
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
    modified: formatDateTime(info.modified),
    entries: `${formatInteger(info.entryCount)} (${formatCount(info.messageCount, "message")})`,
    model: info.model && [info.provider, info.model].filter(Boolean).join("/"),
    problems: info.problemCount > 0 ? formatInteger(info.problemCount) : undefined,
  };
  const title = io.isTerminal ? truncate(getSessionTitle(info), io.columns) : getSessionTitle(info);
  return `${io.style("bold", title)}\n${formatFacts(io, facts, 12)}\n`;
}
