/** Detects sessions that an agent may be writing to. */
import { statSync } from "node:fs";
import { encodePath, PidexError, type SessionInfo } from "../../library/index.ts";
import { formatCount } from "../format/safe.ts";

/** After a write this recent, an agent may still be active. */
const ACTIVE_MS = 60_000;

/** Seconds since the last write, if it is so recent that an agent may still be active; else undefined. */
export function secondsSinceWritten({ path }: SessionInfo): number | undefined {
  const age = Date.now() - (statSync(encodePath(path), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return age < ACTIVE_MS ? Math.max(0, Math.round(age / 1000)) : undefined;
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
