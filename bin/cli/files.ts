import type { FilesOptions, FileTouch, FileTouches, SessionInfo } from "../../library/index.ts";
import { formatCount, formatInteger, toField, toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate, truncateStart } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { relativeTo } from "../format/tool-call.ts";
import type { Flags } from "./commands.ts";
import { formatSinceHint, toFilters } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { EXIT, queryCommand } from "./run.ts";
import { createFieldSelector, getJsonFields, namesAny } from "./select-fields.ts";
import { formatSessionHeading } from "./session-heading.ts";
import { toSessionJson } from "./session-json.ts";
import { formatRow } from "./table.ts";

/** A pattern that is probably meant as `*.ts`. */
const EXTENSION = /^\.\w+$/;

/** `pidex files`. Exits with 3 if nothing was found. */
export const run = queryCommand(async (io, index, [pattern = ""], flags: Flags<"files">) => {
  const { limit, touches, cursor } = flags;
  const action = flags.action as FilesOptions["action"]; // the library rejects unknown actions
  const select = await createSelector(flags);
  const costs = namesAny(getJsonFields(flags), ["cost", "costUsd"]);
  const found = await index.files(pattern, { ...toFilters(flags), action, limit, touches, costs, cursor });
  const { sessions, total, touchCount, next } = found;
  if (flags.json) await writeJson(io, { total, touchCount, next, sessions: sessions.map(select) });
  else if (flags.ndjson) await writeJsonLines(io, sessions.map(select));
  else if (sessions.length === 0) {
    const { formatUnmatchedValues } = await import("../actions/unmatched-values.ts");
    const unmatched = await formatUnmatchedValues(index, flags);
    const glob = EXTENSION.test(pattern)
      ? `  For files with this extension: pidex files '*${pattern}'\n`
      : "";
    io.err(`no sessions touched ${toOneLine(pattern)}\n${glob}${unmatched}${formatSinceHint(flags)}`);
  } else if (!io.isTerminal) await io.out(forPipes(sessions));
  else {
    const left =
      cursor === undefined ? formatCount(total - sessions.length, "more session") : "more sessions";
    await withPager(io, flags, async (paged) => {
      await paged.out(sessions.map((each) => sessionBlock(paged, each)).join("\n"));
      if (next) paged.err(`\n${io.style("dim", `… ${left} (-n to show more)`)}\n`);
    });
  }
  return sessions.length > 0 ? EXIT.done : EXIT.notFound;
});

/** Reduces results to some fields: those of sessions and of their touches. @throws PidexError `BAD_OPTION` */
async function createSelector(flags: Flags<"files">): Promise<(found: FileTouches) => object> {
  const fields = getJsonFields(flags);
  if (!fields || fields === true) return (found) => ({ ...found, session: toSessionJson(found.session) });
  const { SessionInfoJson } = await import("../../library/schemas.ts");
  const { SESSION_COLUMNS } = await import("./session-columns.ts");
  const properties = [...Object.keys(SessionInfoJson.shape), "touches", "touchCount", "actions"];
  const select = createFieldSelector<SessionInfo>(fields, properties, SESSION_COLUMNS);
  return ({ session, ...touches }) => select({ ...toSessionJson(session), ...touches });
}

/** One touch per line, tab-separated: session file and line, entry, action, time, touched file. */
function forPipes(found: readonly FileTouches[]): string {
  return found
    .flatMap(({ session, touches }) =>
      touches.map(({ line, entryId, action, timestamp, path }) =>
        formatRow([`${session.path}:${line}`, entryId, action, timestamp, path]),
      ),
    )
    .join("");
}

const MARGIN = "  ";

function sessionBlock(io: Io, { session, touches, touchCount, actions }: FileTouches): string {
  const lines = [...formatSessionHeading(io, session), ...callerLine(io, session)];
  for (const touch of touches) lines.push(`${MARGIN}${touchLine(io, touch, session)}`);
  if (touchCount > touches.length) {
    const all = actions.map(({ name, count }) => `${formatInteger(count)} ${name}`).join(", ");
    lines.push(
      `${MARGIN}${io.style("dim", truncate(`… ${formatInteger(touchCount)} in total: ${all}`, io.columns - MARGIN.length))}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** The session that started a subagent; empty for other sessions. */
function callerLine(io: Io, { subagent, startedBy }: SessionInfo): string[] {
  if (!subagent) return [];
  const by = startedBy === undefined ? "subagent" : "subagent, started by ";
  // The end of the path identifies the session.
  const path = truncateStart(toField(startedBy ?? ""), Math.max(io.columns - by.length, MIN_PATH_WIDTH / 2));
  return [io.style("dim", truncate(by + path, io.columns))];
}

const ACTION_WIDTH = 6;
/** The time is omitted if a path would get fewer columns than this. */
const MIN_PATH_WIDTH = 20;

/** Narrower terminals need the width for the path. */
const MIN_COLUMNS_FOR_ENTRIES = 60;

/** Time, action, path, and the entry, which `pidex show SESSION ENTRY` prints. */
function touchLine(io: Io, touch: FileTouch, { cwd }: SessionInfo): string {
  const time = pad(touch.timestamp ? formatDateTime(new Date(touch.timestamp)) : "", 16);
  const action = pad(touch.action, ACTION_WIDTH);
  const entry =
    touch.entryId === null ? `line ${touch.line} of the session` : `entry ${toField(String(touch.entryId))}`;
  const notes = [
    io.columns >= MIN_COLUMNS_FOR_ENTRIES && entry,
    !touch.onCurrentBranch && "abandoned branch",
    touch.failed && "failed",
  ]
    .filter(Boolean)
    .join(", ");
  const room = io.columns - MARGIN.length - ACTION_WIDTH - 1 - measureWidth(notes) - MARGIN.length;
  const hasTime = room - measureWidth(time) - 1 >= MIN_PATH_WIDTH;
  const path = truncateStart(
    toField(relativeTo(cwd, touch.path)),
    Math.max(hasTime ? room - measureWidth(time) - 1 : room, MIN_PATH_WIDTH / 2),
  );
  const styled = io.style(touch.failed ? "red" : "dim", notes);
  return `${hasTime ? `${io.style("dim", time)} ` : ""}${io.style("cyan", action)} ${path}${MARGIN}${styled}`;
}
