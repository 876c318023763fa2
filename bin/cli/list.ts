import type { ListOptions, SessionInfo } from "../../library/index.ts";
import type { SessionSummary } from "../../library/internal.ts";
import { formatInteger, toField, toOneLine } from "../format/safe.ts";
import { getMarks, getProjectName, shortId } from "../format/sessions.ts";
import { truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import { toFilters } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { queryCommand, requireLocalIndex } from "./run.ts";
import { type Column, formatTable } from "./table.ts";

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
  const { sessions, total, next } = await index.listAll(options);
  const asJson = (session: SessionInfo) =>
    flags.text ? { ...session, allMessagesText: session.allMessagesText } : session;
  // Streamed, because with --text each session includes the text of its file.
  if (flags.json) await writeJsonList(io, { total, next }, "sessions", sessions.values().map(asJson));
  else if (flags.ndjson) await writeJsonLines(io, sessions.values().map(asJson));
  else if (sessions.length === 0) io.err(NONE);
  else {
    await io.out(forPeople(io, sessions));
    const left =
      flags.cursor === undefined
        ? `${formatInteger(total - sessions.length)} more of ${formatInteger(total)}`
        : "more";
    if (next) io.err(`${io.style("dim", `… ${left} (--all or -n to show more)`)}\n`);
  }
});

const NONE = "No sessions match.\n";

const COLUMNS: readonly Column[] = [
  { heading: "ID", style: "dim" },
  { heading: "MODIFIED", align: "right", omitOrder: 1 },
  { heading: "MSGS", align: "right", omitOrder: 3 },
  { heading: "PROJECT", style: "cyan", omitOrder: 2 },
];
const TAGS: Column = { heading: "TAGS", style: "green", omitOrder: 4 };
const SESSION: Column = { heading: "TITLE", shrinksFirst: true };
/** The maximum width of tags, in columns. */
const MAX_TAGS_WIDTH = 24;

function forPeople(io: Io, sessions: readonly SessionInfo[]): string {
  const hasTags = sessions.some(({ tags }) => tags.length > 0);
  const rows = sessions.map((session) => {
    const title = [...getMarks(session), getSessionTitle(session)].join(" ");
    const { id, modified, messageCount, tags } = session;
    const shown = hasTags ? [truncate(toOneLine(tags.join(", ")), MAX_TAGS_WIDTH)] : [];
    return [
      shortId(id),
      formatRelativeTime(modified),
      formatInteger(messageCount),
      getProjectName(session),
      ...shown,
      title,
    ];
  });
  return formatTable(io, [...COLUMNS, ...(hasTags ? [TAGS] : []), SESSION], rows);
}

/** Columns for scripts: time, id, message count, folder, path, title. */
function forPipes(sessions: readonly SessionSummary[]): string {
  let lines = "";
  for (const { modified, id, messageCount, cwd, path, ...session } of sessions) {
    lines += `${modified.toISOString()}\t${toField(id)}\t${messageCount}\t${toField(cwd)}\t${toField(path)}\t${getSessionTitle(session)}\n`;
  }
  return lines;
}
