import type { ListOptions, SessionInfo } from "../../index.ts";
import { type FilterFlags, filtersOf } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLine } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import { projectOf, shortId, titleOf } from "./sessions.ts";
import { type Column, table } from "./table.ts";
import { oneLine } from "./text.ts";
import { ago } from "./times.ts";

interface Flags extends FilterFlags {
  sort?: ListOptions["sort"];
  oldest?: boolean;
  limit: number;
  all?: boolean;
  cursor?: string;
  text?: boolean;
}

/** `pidex list`. */
export async function run(io: Io, _: string[], flags: Flags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const { sessions, total, next } = await index.listAll({
      ...filtersOf(flags),
      sort: flags.sort,
      order: flags.oldest ? "oldest" : "newest",
      limit: flags.all ? undefined : flags.limit,
      cursor: flags.cursor,
    });
    const asJson = (session: SessionInfo) =>
      flags.text ? { ...session, allMessagesText: session.allMessagesText } : session;
    if (flags.json) writeJson(io, { sessions: sessions.map(asJson), total, next });
    else if (flags.ndjson) for (const session of sessions) writeJsonLine(io, asJson(session));
    else {
      if (sessions.length > 0) io.out(io.isTerminal ? forPeople(io, sessions) : forPipes(io, sessions));
      if (next && io.isTerminal) io.err(io.style("dim", `… ${total - sessions.length} more: --all, or -n\n`));
    }
    return EXIT.done;
  });
}

const COLUMNS: readonly Column[] = [
  { heading: "ID", style: "dim" },
  { heading: "MODIFIED", align: "right" },
  { heading: "MSGS", align: "right" },
  { heading: "PROJECT", style: "cyan" },
  { heading: "SESSION", gives: true },
];

function forPeople(io: Io, sessions: readonly SessionInfo[]): string {
  const rows = sessions.map((session) => {
    const marks = [
      session.parentSessionPath && "⑂",
      session.subagent && "subagent",
      session.labelCount > 0 && `★${session.labelCount}`,
      session.problemCount > 0 && "!",
    ].filter(Boolean);
    const title = [...marks, titleOf(session)].join(" ");
    const project = projectOf(session).slice(0, 24);
    return [shortId(session), ago(session.modified), String(session.messageCount), project, title];
  });
  return table(io, COLUMNS, rows);
}

/** Time, id, message count, folder, path, title: in this order for scripts. */
function forPipes(io: Io, sessions: readonly SessionInfo[]): string {
  const rows = sessions.map((session) => [
    session.modified.toISOString(),
    oneLine(session.id),
    String(session.messageCount),
    oneLine(session.cwd),
    oneLine(session.path),
    titleOf(session),
  ]);
  return table(io, COLUMNS, rows);
}
