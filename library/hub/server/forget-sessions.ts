import { isDeepStrictEqual } from "node:util";
import type { Pool } from "pg";
import { PidexError } from "../../../src/errors.ts";
import { writeAudit } from "../../../src/store/postgres/audit.ts";
import { type ForgettableRow, findForgettable } from "../../../src/store/postgres/machine-files.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import { toActor, toTarget } from "./access.ts";
import { forgetFiles } from "./forget-file.ts";

/**
 * Deletes sessions from the hub: those that the caller's machines sent, and for owners all of the team's projects.
 *
 * @param sessions beginnings of ids, or paths
 * @param options.dryRun only finds them
 * @returns the files that were deleted; several of a session that several machines have
 * @throws PidexError `NOT_FOUND`, or `AMBIGUOUS` if one of them matches several sessions
 */
export async function forgetSessions(
  pool: Pool,
  caller: Caller,
  sessions: readonly string[],
  { dryRun }: { dryRun: boolean },
): Promise<ForgettableRow[]> {
  const found = new Map<number, ForgettableRow>();
  for (const session of sessions) {
    for (const file of await findSession(pool, caller, session)) found.set(file.id, file);
  }
  const files = [...found.values()];
  if (!dryRun) {
    await forgetFiles(pool, files, (client, file) =>
      writeAudit(client, toActor(caller), "forget", toTarget(found.get(file.id) ?? file)),
    );
  }
  return files;
}

async function findSession(pool: Pool, { person }: Caller, session: string): Promise<ForgettableRow[]> {
  const found = await findForgettable(pool, person.id, person.role === "owner", session);
  const exact = found.filter(({ sessionId, path }) => sessionId === session || path === session);
  const chosen = exact.length > 0 ? exact : found;
  const [first] = chosen;
  if (!first) {
    const hint = "Pass the id or path of a session that your machines sent to the hub.";
    throw new PidexError(
      "NOT_FOUND",
      `no session that you may delete matches ${JSON.stringify(session)}`,
      hint,
    );
  }
  if (chosen.every(({ sessionId }) => isDeepStrictEqual(sessionId, first.sessionId))) return chosen;
  const count = new Set(chosen.map(({ sessionId }) => sessionId)).size;
  throw new PidexError(
    "AMBIGUOUS",
    `${JSON.stringify(session)} matches ${count} sessions`,
    "Pass more of the id, or the path.",
  );
}
