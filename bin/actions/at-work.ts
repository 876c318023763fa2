/** Whether somebody may be at work in a session. */
import { statSync } from "node:fs";
import { fsPath, PidexError, type SessionInfo } from "../../library/index.ts";
import { counted } from "../format/safe.ts";

/** A session whose file was written less long ago may have its agent at work in it. */
const AT_WORK_MS = 60_000;

/** How many seconds ago a session was written, if that is so recent that an agent may be at work in it. */
export function secondsSinceWritten({ path }: SessionInfo): number | undefined {
  const age = Date.now() - (statSync(fsPath(path), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return age < AT_WORK_MS ? Math.max(0, Math.round(age / 1000)) : undefined;
}

/** Nobody but its caller knows when a subagent is done: what it writes in is left alone. */
export function assertNoSubagentAtWork(session: SessionInfo): void {
  const seconds = session.subagent ? secondsSinceWritten(session) : undefined;
  if (seconds === undefined) return;
  throw new PidexError(
    "SESSION_CHANGED",
    `a subagent may be at work in ${session.path}: it was written ${counted(seconds, "second")} ago`,
    "Try again when it has not been written for a minute.",
  );
}
