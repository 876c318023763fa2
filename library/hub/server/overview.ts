/** The state of a hub, its audit log, and how long it keeps sessions. */
import type { Pool } from "pg";
import type { z } from "zod";
import { EXTRACTION } from "../../../src/store/extraction.ts";
import {
  type AuditRow,
  type AuditSelection,
  readAudit,
  writeAudit,
} from "../../../src/store/postgres/audit.ts";
import { countHub } from "../../../src/store/postgres/machine-files.ts";
import type { Caller } from "../../../src/store/postgres/people.ts";
import {
  addProjectShelf,
  getPrivateShelf,
  listRetention,
  setRetention,
} from "../../../src/store/postgres/shelves.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import type { hubStatus, retentionRequest, ShelfName } from "../protocol.ts";
import { assertRole, toActor } from "./access.ts";

/** Totals of the hub. */
export function getStatus(pool: Pool): Promise<Omit<z.infer<typeof hubStatus>, "version" | "database">> {
  return countHub(pool, EXTRACTION);
}

/** The newest rows of the audit log. @throws PidexError `NOT_ALLOWED` */
export function getAudit(pool: Pool, caller: Caller, selection: AuditSelection): Promise<AuditRow[]> {
  assertRole(caller, ["owner", "auditor"], "read the audit log");
  return readAudit(pool, selection);
}

/** The retention that is set for the caller's private sessions and for the team's projects. */
export async function getRetention(
  pool: Pool,
  { person }: Caller,
): Promise<{ shelf: ShelfName; days: number }[]> {
  const rows = await listRetention(pool, person.id, person.role !== "auditor");
  return rows.map(({ project, days }) => ({ shelf: project === null ? "mine" : { project }, days }));
}

/**
 * Sets after how many days without a message sessions are forgotten: owners for a project, each member for their own private sessions.
 *
 * @throws PidexError `NOT_ALLOWED`
 */
export function changeRetention(
  pool: Pool,
  caller: Caller,
  { shelf, days }: z.infer<typeof retentionRequest>,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    if (shelf !== "mine") assertRole(caller, ["owner"], "set the retention of projects");
    const id =
      shelf === "mine"
        ? await getPrivateShelf(client, caller.person.id)
        : await addProjectShelf(client, shelf.project);
    await setRetention(client, id, days);
    const target = shelf === "mine" ? "mine" : shelf.project;
    await writeAudit(
      client,
      toActor(caller),
      "retention",
      `${target}, ${days === null ? "off" : `${days} days`}`,
    );
  });
}
