import { existsSync } from "node:fs";
import { type Blame, type BlameLine, PidexError, type SessionInfo } from "../../library/index.ts";
import { formatDollars } from "../format/numbers.ts";
import { toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { formatDateTime } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { indexCommand, runInterruptibly } from "./run.ts";
import { toSessionJson } from "./session-json.ts";
import { formatRow, formatTable } from "./table.ts";

/** `pidex blame`: shows the session, prompt, date and cost behind the lines of a file. */
export const run = indexCommand(async (io, index, [named = ""], flags: Flags<"blame">) => {
  const { rev, certain } = flags;
  const { file, from, to } = parseLocation(named);
  const found = await runInterruptibly("interrupted", (signal) =>
    index.blame(file, { rev, from, to, certain, signal }),
  );
  const sessions = new Map(found.sessions.map((session) => [session.path, session]));
  if (flags.json) await writeJson(io, { ...found, sessions: found.sessions.map(toSessionJson) });
  else if (flags.ndjson) {
    await writeJsonLines(
      io,
      found.lines.map((line) => ({
        ...line,
        ...(line.session !== undefined && { costUsd: sessions.get(line.session)?.costUsd }),
      })),
    );
  } else if (!io.isTerminal) await io.out(found.lines.map(forPipes).join(""));
  else
    await withPager(io, flags, async (paged) => {
      await paged.out(forPeople(paged, found, sessions));
    });
});

/** `FILE`, `FILE:LINE` or `FILE:FROM-TO`. A file whose name ends like that is meant if it exists. */
function parseLocation(named: string): { file: string; from?: number; to?: number } {
  const [, file, from, to] = /^(.+?):(\d+)(?:-(\d+))?$/.exec(named) ?? [];
  if (file === undefined || from === undefined || existsSync(named)) return { file: named };
  const [first, last] = [Number(from), Number(to ?? from)];
  if (first >= 1 && last >= first) return { file, from: first, to: last };
  throw new PidexError(
    "BAD_OPTION",
    `${toOneLine(named)} names no lines`,
    "Lines count from 1: src/tax.ts:40 or src/tax.ts:40-60.",
  );
}

function forPipes({
  line,
  session,
  entryLine,
  timestamp,
  confidence,
  commit,
  prompt,
  text,
}: BlameLine): string {
  const call = session === undefined ? "" : `${session}:${entryLine}`;
  return formatRow([line, call, timestamp, confidence, commit, prompt, text]);
}

/** Successive lines with the same session and prompt. */
interface Range {
  first: BlameLine;
  last: BlameLine;
  isCertain: boolean;
}

function forPeople(io: Io, { lines }: Blame, sessions: ReadonlyMap<string, SessionInfo>): string {
  const ranges: Range[] = [];
  for (const line of lines) {
    const range = ranges.at(-1);
    if (range && range.first.session === line.session && range.first.prompt === line.prompt) {
      range.last = line;
      range.isCertain &&= line.confidence === "certain";
    } else ranges.push({ first: line, last: line, isCertain: line.confidence === "certain" });
  }
  const rows = ranges.map(({ first, last, isCertain }) => {
    const numbers = first === last ? `${first.line}` : `${first.line}-${last.line}`;
    const session = first.session === undefined ? undefined : sessions.get(first.session);
    if (!session) return [numbers, "-", "", "", "", ""];
    return [
      numbers,
      shortId(session.id),
      first.timestamp === undefined ? "" : formatDateTime(new Date(first.timestamp)),
      formatDollars(session.costUsd ?? 0),
      isCertain ? "certain" : "likely",
      toOneLine(first.prompt ?? ""),
    ];
  });
  return formatTable(
    io,
    [
      { heading: "LINES", align: "right", isNeverCut: true },
      { heading: "SESSION", isNeverCut: true },
      { heading: "DATE", omitOrder: 2, isNeverCut: true, style: "dim" },
      { heading: "COST", align: "right", omitOrder: 1, isNeverCut: true },
      { heading: "SURE", omitOrder: 3 },
      { heading: "PROMPT", shrinksFirst: true },
    ],
    rows,
  );
}
