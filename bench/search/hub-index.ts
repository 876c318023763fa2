import { closeSync, fstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ingestRemote } from "../../indexer/ingest-remote.ts";
import { HubSource } from "../../library/hub/server/hub-source.ts";
import { QueryIndex } from "../../library/query/query-index.ts";
import { postgresMigrations } from "../../migrations/postgres/index.ts";
import { connect } from "../../src/store/postgres/connect.ts";
import { migratePostgres } from "../../src/store/postgres/migrate.ts";
import { inTransaction } from "../../src/store/postgres/transaction.ts";

/** An index of all sessions in some folders in an empty database of PostgreSQL, as a hub has it. */
export async function openHubIndex(
  url: string,
  folders: readonly string[],
): Promise<{ index: QueryIndex } & AsyncDisposable> {
  const pool = connect(url);
  await migratePostgres(pool, postgresMigrations);
  const { rows } = await pool.query<{ shelf: number; machine: string }>(
    `WITH person AS (INSERT INTO person (name, role, created) VALUES ('bench', 'owner', 0) RETURNING id),
       machine AS (INSERT INTO machine (id, person, name, token, created)
         SELECT gen_random_uuid(), id, 'bench', '', 0 FROM person RETURNING id)
     INSERT INTO shelf (person) SELECT id FROM person RETURNING id AS shelf, (SELECT id FROM machine) AS machine`,
  );
  const [added] = rows;
  if (!added) throw new Error("no shelf was added");
  const { shelf, machine } = added;
  for (const file of folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }),
  )) {
    if (!file.isFile() || !file.name.endsWith(".jsonl")) continue;
    const path = join(file.parentPath, file.name);
    const fd = openSync(path, "r");
    try {
      const { size, mtimeNs } = fstatSync(fd, { bigint: true });
      await inTransaction(pool, (client) =>
        ingestRemote(client, { shelf, machine, path, subagent: 0 }, { fd, end: Number(size), mtimeNs }),
      );
    } finally {
      closeSync(fd);
    }
  }
  await pool.query("ANALYZE");
  return { index: new QueryIndex(new HubSource(pool, [shelf])), [Symbol.asyncDispose]: () => pool.end() };
}
