import type { Pool } from "pg";
import { settleAll } from "../../../indexer/hub-ledger.ts";
import { type HubIndex, openHub } from "../../../library/index.ts";
import { addProjectShelf } from "../../../src/store/postgres/shelves.ts";
import type { SignedIn, TestHub } from "../../bin/hub/hubs.ts";
import { ingestFile } from "../../store/postgres/ingest.ts";

/** Adds a session file of a machine to a hub: private, or of a project of the team. */
export async function addFile(
  { pool }: { pool: Pool },
  { machine, person }: SignedIn,
  path: string,
  { project, subagent = 0 }: { project?: string; subagent?: number } = {},
): Promise<void> {
  const { rows } = await pool.query(
    `SELECT machine.id AS machine, shelf.id AS shelf FROM machine, shelf JOIN person ON person.id = shelf.person
     WHERE machine.name = $1 AND person.name = $2`,
    [machine, person],
  );
  const [own] = rows;
  const shelf = project === undefined ? own.shelf : await addProjectShelf(pool, project);
  await ingestFile(pool, { machine: own.machine, shelf }, path, { subagent });
}

/** Brings the usage on all shelves up to date, as a hub does in the background. */
export async function settleShelves({ pool }: { pool: Pool }): Promise<void> {
  const { rows } = await pool.query("SELECT id FROM shelf ORDER BY id");
  for (const { id } of rows) await settleAll(pool, id);
}

/** The hub as a machine sees it. */
export function openAs({ url }: TestHub, { token }: SignedIn): Promise<HubIndex> {
  return openHub({ url, token });
}
