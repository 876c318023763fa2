/** Detects sessions that an agent may be writing to. */
import { statSync } from "node:fs";
import { z } from "zod";
import { encodePath, PidexError, type SessionInfo } from "../../library/index.ts";
import { readLastLines } from "../../library/internal.ts";
import { formatCount } from "../format/safe.ts";

/** After a write this recent, an agent may still be active. */
const ACTIVE_MS = 60_000;

/** Enough of a file's end for the names, labels, pins and tags that pidex appended within a minute. */
const END_BYTES = 64 * 1024;

/** Seconds since an agent's last write, if it is so recent that the agent may still be active; else undefined. */
export function secondsSinceWritten({ path }: Pick<SessionInfo, "path">): number | undefined {
  const stat = statSync(encodePath(path), { throwIfNoEntry: false });
  if (stat === undefined || Date.now() - stat.mtimeMs >= ACTIVE_MS) return undefined;
  const age = Date.now() - (findEntryBeforeMetadata(path) ?? stat.mtimeMs);
  return age < ACTIVE_MS ? Math.max(0, Math.round(age / 1000)) : undefined;
}

const Line = z.looseObject({
  type: z.string(),
  customType: z.unknown().optional(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
});

/**
 * The time of the last entry before the metadata at the end of a file, in Unix milliseconds: `pidex name`, `label`, `pin`, `archive` and
 * `tag` append metadata, and then the time of the file says nothing about an agent. Undefined if the file doesn't end in metadata, or the
 * entry has no time.
 */
function findEntryBeforeMetadata(path: string): number | undefined {
  const { lines } = readLastLines(path, END_BYTES);
  for (const [n, line] of lines.entries()) {
    const { success, data } = Line.safeParse(parseJson(line));
    if (!success) return undefined;
    const { type, customType, timestamp } = data;
    const isMetadata =
      type === "session_info" || type === "label" || (type === "custom" && customType === "pidex");
    if (isMetadata) continue;
    return n === 0 || timestamp === undefined ? undefined : Date.parse(timestamp);
  }
  return undefined;
}

/** Undefined for a line that an agent is still writing. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Only the caller knows when a subagent is done, so its recent files must not be changed. @throws PidexError `SESSION_CHANGED` */
export function assertNoActiveSubagent(session: SessionInfo): void {
  const seconds = session.subagent ? secondsSinceWritten(session) : undefined;
  if (seconds === undefined) return;
  throw new PidexError(
    "SESSION_CHANGED",
    `a subagent may be writing to ${session.path}: last write ${formatCount(seconds, "second")} ago`,
    "Try again after one minute without writes.",
  );
}
