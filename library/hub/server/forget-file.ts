import type { Pool, PoolClient } from "pg";
import { forgetRemote } from "../../../indexer/forget-remote.ts";
import { type FileKey, lockKey } from "../../../src/store/postgres/machine-files.ts";
import { lockForForget } from "../../../src/store/postgres/shelves.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";

/** A file that is being forgotten. */
export interface ForgottenFile extends FileKey {
  /** On its machine. */
  path: string;
  /** Null for a private session. */
  project: string | null;
}

/**
 * Deletes files with all their rows, each in a transaction.
 *
 * @param record called in the transaction for each file that was still there
 * @returns how many were
 */
export async function forgetFiles(
  pool: Pool,
  files: readonly FileKey[],
  record: (client: PoolClient, file: ForgottenFile) => Promise<void>,
): Promise<number> {
  let forgotten = 0;
  for (const { shelf, id } of files) {
    const isForgotten = await inTransaction(pool, async (client) => {
      await lockForForget(client, shelf);
      const file = await lockKey(client, { shelf, id });
      if (!file) return false;
      await forgetRemote(client, file);
      await record(client, file);
      return true;
    });
    if (isForgotten) forgotten++;
  }
  return forgotten;
}
