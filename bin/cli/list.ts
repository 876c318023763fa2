import type { IndexQueries, ListOptions, SessionInfo } from "../../library/index.ts";
import type { SessionSummary } from "../../library/internal.ts";
import { formatInteger, toField } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import { formatSinceHint, toFilters } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { withPager } from "./pager.ts";
import { hasNoSessions, type IndexState, queryCommand, requireLocalIndex } from "./run.ts";
import { createFieldSelector, getJsonFields, namesAny } from "./select-fields.ts";
import { parseShape, SESSION_COLUMNS, toSessionTable } from "./session-columns.ts";
import { toSessionJson } from "./session-json.ts";
import { formatTable } from "./table.ts";

/** `pidex list`. */
export const run = queryCommand(listSessions, toMinNewest);

/**
 * On a terminal, a list of the newest sessions is printed as soon as these are indexed: a first index of gigabytes takes up to a minute.
 * All other lists are complete.
 */
function toMinNewest(io: Io, flags: Flags<"list">): number | undefined {
  const { json, ndjson, sort, oldest, all, cursor, limit, text } = flags;
  const isOfNewest = !sort && !oldest && !all && cursor === undefined && !text;
  const isFiltered = Object.values(toFilters(flags)).some((value) =>
    Array.isArray(value) ? value.length > 0 : value,
  );
  return io.isTerminal && !json && !ndjson && isOfNewest && !isFiltered
    ? Math.min(limit, MIN_NEWEST)
    : undefined;
}

/** Of the sessions that are indexed first, with large ones left out: see `indexer/entry-order.ts`. */
const MIN_NEWEST = 20;

async function listSessions(
  io: Io,
  index: IndexQueries,
  _: string[],
  flags: Flags<"list">,
  { isPartial }: IndexState,
): Promise<void> {
  if (flags.text) requireLocalIndex(index, "--text");
  const fields = getJsonFields(flags);
  if (namesAny(fields, ["allMessagesText"])) requireLocalIndex(index, "--json allMessagesText");
  const options: ListOptions = {
    ...toFilters(flags),
    sort: flags.sort,
    order: flags.oldest ? "oldest" : "newest",
    // An explicit order overrides pins.
    pinnedFirst: !flags.sort && !flags.oldest,
    limit: flags.all ? undefined : flags.limit,
    cursor: flags.cursor,
  };
  const describeNone = async () => {
    if (hasNoSessions(index)) return "";
    const { formatUnmatchedValues } = await import("../actions/unmatched-values.ts");
    return `No sessions match.\n${await formatUnmatchedValues(index, flags)}${formatSinceHint(flags)}`;
  };
  const shape =
    parseShape(flags) ?? (io.isTerminal && !flags.json && !flags.ndjson ? getUsualShape() : undefined);
  if (!flags.json && !flags.ndjson && !shape && !io.isTerminal) {
    const summaries = await index.listSummaries(options);
    return summaries.length > 0 ? io.out(forPipes(summaries)) : io.err(await describeNone());
  }
  const select = await createSessionSelector(fields);
  const named = shape?.names ?? fields;
  const costs = !named || named === true || namesAny(named, ["cost", "costUsd"]);
  const models = namesAny(named, ["models"]);
  const { sessions: found, total, next } = await index.listAll({ ...options, costs, models });
  const sessions = isPartial ? found.map(withoutForkCost) : found;
  const asJson = (session: SessionInfo) =>
    select({ ...toSessionJson(session), ...(flags.text && { allMessagesText: session.allMessagesText }) });
  // Streamed, because with --text each session includes the text of its file.
  if (flags.json) await writeJsonList(io, { total, next }, "sessions", sessions.values().map(asJson));
  else if (flags.ndjson) await writeJsonLines(io, sessions.values().map(asJson));
  else if (sessions.length === 0) io.err(await describeNone());
  else {
    await withPager(io, flags, async (paged) => {
      if (shape) return paged.out(shape.format(paged, sessions));
      const { columns, rows } = toSessionTable(sessions, undefined);
      return paged.out(formatTable(paged, columns, rows));
    });
    const left =
      flags.cursor === undefined
        ? `${formatInteger(total - sessions.length)} more of ${formatInteger(total)}`
        : "more";
    if (isPartial) io.err(`${io.style("dim", "… older sessions are being read")}\n`);
    else if (next) io.err(`${io.style("dim", `… ${left} (--all or -n to show more)`)}\n`);
  }
}

/** What a fork copied counts as its own until the session it was forked from is indexed. */
function withoutForkCost(session: SessionInfo): SessionInfo {
  return session.parentSessionPath === undefined ? session : { ...session, costUsd: undefined };
}

/** The columns of the configuration. @throws PidexError `BAD_OPTION` for an unknown one */
function getUsualShape(): ReturnType<typeof parseShape> {
  const columns = process.env.PIDEX_COLUMNS?.split(",").filter(Boolean) ?? [];
  return columns.length === 0 ? undefined : parseShape({ columns });
}

/** Reduces sessions to some fields. @throws PidexError `BAD_OPTION` for an unknown field */
async function createSessionSelector(
  fields: string[] | true | undefined,
): Promise<(session: SessionInfo) => object> {
  if (!fields || fields === true) return (session) => session;
  const { SessionInfoJson } = await import("../../library/schemas.ts");
  return createFieldSelector<SessionInfo>(fields, Object.keys(SessionInfoJson.shape), SESSION_COLUMNS);
}

/** A title may be a whole message. `--json`, `--columns` and `--format` print it in full. */
const MAX_PIPED_TITLE = 200;

/** Columns for scripts: time, id, message count, folder, path, title. */
function forPipes(sessions: readonly SessionSummary[]): string {
  let lines = "";
  for (const { modified, id, messageCount, cwd, path, ...session } of sessions) {
    const title = getSessionTitle(session);
    const shown = title.length > MAX_PIPED_TITLE ? truncate(title, MAX_PIPED_TITLE) : title;
    lines += `${modified.toISOString()}\t${toField(id)}\t${messageCount}\t${toField(cwd)}\t${toField(path)}\t${shown}\n`;
  }
  return lines;
}
