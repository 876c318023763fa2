import type { ListOptions, SessionInfo } from "../../library/index.ts";
import type { SessionSummary } from "../../library/internal.ts";
import { formatInteger, toField } from "../format/safe.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import { toFilters } from "./filters.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { queryCommand, requireLocalIndex } from "./run.ts";
import { toSessionTable } from "./session-columns.ts";
import { formatTable } from "./table.ts";

/** `pidex list`. */
export const run = queryCommand(async (io, index, _, flags: Flags<"list">) => {
  if (flags.text) requireLocalIndex(index, "--text");
  const options: ListOptions = {
    ...toFilters(flags),
    sort: flags.sort,
    order: flags.oldest ? "oldest" : "newest",
    // An explicit order overrides pins.
    pinnedFirst: !flags.sort && !flags.oldest,
    limit: flags.all ? undefined : flags.limit,
    cursor: flags.cursor,
  };
  if (!flags.json && !flags.ndjson && !io.isTerminal) {
    const summaries = await index.listSummaries(options);
    return summaries.length > 0 ? io.out(forPipes(summaries)) : io.err(NONE);
  }
  const { sessions, total, next } = await index.listAll({ ...options, costs: true });
  const asJson = (session: SessionInfo) =>
    flags.text ? { ...session, allMessagesText: session.allMessagesText } : session;
  // Streamed, because with --text each session includes the text of its file.
  if (flags.json) await writeJsonList(io, { total, next }, "sessions", sessions.values().map(asJson));
  else if (flags.ndjson) await writeJsonLines(io, sessions.values().map(asJson));
  else if (sessions.length === 0) io.err(NONE);
  else {
    const { columns, rows } = toSessionTable(sessions, undefined);
    await io.out(formatTable(io, columns, rows));
    const left =
      flags.cursor === undefined
        ? `${formatInteger(total - sessions.length)} more of ${formatInteger(total)}`
        : "more";
    if (next) io.err(`${io.style("dim", `… ${left} (--all or -n to show more)`)}\n`);
  }
});

const NONE = "No sessions match.\n";

/** Columns for scripts: time, id, message count, folder, path, title. */
function forPipes(sessions: readonly SessionSummary[]): string {
  let lines = "";
  for (const { modified, id, messageCount, cwd, path, ...session } of sessions) {
    lines += `${modified.toISOString()}\t${toField(id)}\t${messageCount}\t${toField(cwd)}\t${toField(path)}\t${getSessionTitle(session)}\n`;
  }
  return lines;
}
