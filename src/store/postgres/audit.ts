import type { ClientBase, Pool } from "pg";

/** Somebody who did something, by name. */
export interface Actor {
  person: string;
  machine: string;
}

export interface AuditRow extends Actor {
  /** In Unix milliseconds. */
  time: number;
  action: string;
  target: string;
}

/** Records an action. */
export async function writeAudit(
  db: Pick<ClientBase, "query">,
  { person, machine }: Actor,
  action: string,
  target: string,
): Promise<void> {
  await db.query({
    name: "audit",
    text: "INSERT INTO audit (time, person, machine, action, target) VALUES ($1, $2, $3, $4, $5)",
    values: [Date.now(), person, machine, action, target],
  });
}

/** Which rows of the audit log to read. */
export interface AuditSelection {
  /** Start time, inclusive, in Unix milliseconds. */
  since?: number | undefined;
  /** End time, exclusive. */
  until?: number | undefined;
  limit: number;
}

/** The newest rows of the audit log. */
export async function readAudit(pool: Pool, { since, until, limit }: AuditSelection): Promise<AuditRow[]> {
  const { rows } = await pool.query<AuditRow>(
    `SELECT time, person, machine, action, target FROM audit
     WHERE ($1::bigint IS NULL OR time >= $1) AND ($2::bigint IS NULL OR time < $2)
     ORDER BY time DESC, id DESC LIMIT $3`,
    [since ?? null, until ?? null, limit],
  );
  return rows;
}
