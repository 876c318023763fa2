import type { Pool } from "pg";
import { PidexError } from "../../../src/errors.ts";
import { writeAudit } from "../../../src/store/postgres/audit.ts";
import { addForgotten, deleteForgotten } from "../../../src/store/postgres/forgotten.ts";
import {
  type ForgettableRow,
  type Forgetter,
  findAllCopies,
  findForgettable,
} from "../../../src/store/postgres/machine-files.ts";
import { type Caller, listPersonIds } from "../../../src/store/postgres/people.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import { listForgottenKeys, toForgottenKey } from "../forgotten-keys.ts";
import type { UndoneSession } from "../protocol.ts";
import { toActor, toTarget } from "./access.ts";
import { forgetFiles } from "./forget-file.ts";

/**
 * Deletes sessions from the hub, which does not accept them again: those that the caller's machines sent, and for owners all of the
 * team's projects.
 *
 * @param sessions beginnings of ids, or paths
 * @param options.dryRun only finds them
 * @returns the files that were deleted: all those of a session that the same person sent
 * @throws PidexError `NOT_FOUND`, or `AMBIGUOUS` if one of them matches several sessions
 */
export async function forgetSessions(
  pool: Pool,
  caller: Caller,
  sessions: readonly string[],
  { dryRun }: { dryRun: boolean },
): Promise<ForgettableRow[]> {
  const forgetter: Forgetter = { person: caller.person.id, withTeam: caller.person.role === "owner" };
  const chosen: ForgettableRow[] = [];
  for (const session of sessions) chosen.push(...(await findSession(pool, forgetter, session)));
  if (dryRun) return findAllCopies(pool, forgetter, chosen);
  const records = (await findAllCopies(pool, forgetter, chosen)).map((row) => ({
    person: row.person,
    key: toForgottenKey({ ...row, path: row.localPath }),
    isPrivate: row.project === null,
  }));
  await inTransaction(pool, (client) => addForgotten(client, records, caller.person.id));
  // Only now, because files that other machines add are refused from here on.
  const files = await findAllCopies(pool, forgetter, chosen);
  const byId = new Map(files.map((file) => [file.id, file]));
  await forgetFiles(pool, files, (client, file) =>
    writeAudit(client, toActor(caller), "forget", toTarget(byId.get(file.id) ?? file)),
  );
  return files;
}

async function findSession(pool: Pool, forgetter: Forgetter, session: string): Promise<ForgettableRow[]> {
  const found = await findForgettable(pool, forgetter, session);
  const exact = found.filter(({ sessionId, path, localPath }) =>
    [sessionId, path, localPath].includes(session),
  );
  const chosen = exact.length > 0 ? exact : found;
  if (chosen.length === 0) {
    const hint = "Pass the id or path of a session that your machines sent to the hub.";
    throw new PidexError(
      "NOT_FOUND",
      `no session that you may delete matches ${JSON.stringify(session)}`,
      hint,
    );
  }
  const count = new Set(chosen.map(({ sessionId, path }) => sessionId || path)).size;
  if (count === 1) return chosen;
  throw new PidexError(
    "AMBIGUOUS",
    `${JSON.stringify(session)} matches ${count} sessions`,
    "Pass more of the id, or the path.",
  );
}

/**
 * Lets deleted sessions be sent again: those of the caller, and for owners those of all people with these ids that were in projects of
 * the team.
 *
 * @returns the sessions that were not accepted before
 */
export function undoForget(
  pool: Pool,
  caller: Caller,
  sessions: readonly UndoneSession[],
): Promise<UndoneSession[]> {
  const { person, machine } = caller;
  return inTransaction(pool, async (client) => {
    const others = person.role === "owner" ? await listPersonIds(client) : [];
    const people = [...new Set([person.id, ...others])];
    const undone: UndoneSession[] = [];
    for (const session of sessions) {
      const keys = people.flatMap((id) =>
        listForgottenKeys({
          person: id,
          machine: machine.name,
          path: session.path ?? "",
          sessionId: session.id,
        }).map((key) => ({ person: id, key })),
      );
      const deleted = await deleteForgotten(client, keys, person.id);
      for (const { name, isPrivate } of deleted) {
        // Of a session that it deleted, the hub knows only the person.
        await writeAudit(client, toActor(caller), "undo forget", isPrivate ? "mine" : name);
      }
      if (deleted.length > 0) undone.push(session);
    }
    return undone;
  });
}
