import type { FilesOptions, FileTouch, FileTouches, SessionInfo } from "../../library/index.ts";
import { formatCount, formatInteger, toField, toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate, truncateStart } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { formatMinutesHint, toFilters } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, queryCommand } from "./run.ts";
import { createFieldSelector } from "./select-fields.ts";
import { formatSessionHeading } from "./session-heading.ts";
import { formatRow } from "./table.ts";

/** `pidex files`. Exits with 3 if nothing was found. */
export const run = queryCommand(async (io, index, [pattern = ""], flags: Flags<"files">) => {
  const { limit, touches, cursor } = flags;
  const action = flags.action as FilesOptions["action"]; // the library rejects unknown actions
  const select = await createSelector(flags);
  const found = await index.files(pattern, { ...toFilters(flags), action, limit, touches, cursor });
  const { sessions, total, touchCount, next } = found;
  if (flags.json) await writeJson(io, { total, touchCount, next, sessions: sessions.map(select) });
  else if (flags.ndjson) await writeJsonLines(io, sessions);
  else if (sessions.length === 0) {
    io.err(`no sessions touched ${toOneLine(pattern)}\n${formatMinutesHint(flags)}`);
  } else if (!io.isTerminal) await io.out(forPipes(sessions));
  else {
    await io.out(sessions.map((each) => sessionBlock(io, each)).join("\n"));
    const left =
      cursor === undefined ? formatCount(total - sessions.length, "more session") : "more sessions";
    if (next) io.err(`\n${io.style("dim", `… ${left} (-n to show more)`)}\n`);
  }
  return sessions.length > 0 ? EXIT.done : EXIT.notFound;
});

/** Reduces results to the fields of `--json FIELDS`: those of sessions and of their touches. @throws PidexError `BAD_OPTION` */
async function createSelector({ json }: Flags<"files">): Promise<(found: FileTouches) => object> {
  if (!json || json === true) return (found) => found;
  const { SessionInfoJson } = await import("../../library/schemas.ts");
  const { SESSION_COLUMNS } = await import("./session-columns.ts");
  const properties = [...Object.keys(SessionInfoJson.shape), "touches", "touchCount", "actions"];
  const select = createFieldSelector<SessionInfo>(json, properties, SESSION_COLUMNS);
  return ({ session, ...touches }) => select({ ...session, ...touches });
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

/** Time, action, path, and the line in the session file. */
function touchLine(io: Io, touch: FileTouch, { cwd }: SessionInfo): string {
  const time = pad(touch.timestamp ? formatDateTime(new Date(touch.timestamp)) : "", 16);
  const action = pad(touch.action, ACTION_WIDTH);
  const notes = [`line ${touch.line}`, !touch.onCurrentBranch && "abandoned branch", touch.failed && "failed"]
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

/** The path relative to a folder, if the folder contains it. */
function relativeTo(folder: string, path: string): string {
  const start = folder.replace(/[/\\]+$/, "");
  return folder !== "" && path.startsWith(start) && /^[/\\]./.test(path.slice(start.length))
    ? path.slice(start.length + 1)
    : path;
}
