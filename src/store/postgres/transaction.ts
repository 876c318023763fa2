import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { PidexError, systemCode, toMessage } from "../../errors.ts";

/** Serialization failure and deadlock: the same transaction may succeed when it runs again. */
const RETRIED_CODES = ["40001", "40P01"];
const MAX_ATTEMPTS = 6;
/** Maximum wait before the second attempt, in milliseconds; it doubles with each further one. */
const RETRY_MS = 20;

/**
 * Runs work in a transaction. After a deadlock it runs again, so it must have no effect outside of the database that may not be repeated.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE` if the server cannot be reached; what `work` throws, after everything was rolled back
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await connectClient(pool);
    let isBroken = false;
    try {
      await client.query("BEGIN");
      const result = await work(client);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        isBroken = true; // the connection has been lost
      });
      const isRetried = RETRIED_CODES.includes(systemCode(error) ?? "");
      if (!isRetried || attempt === MAX_ATTEMPTS) throw error;
    } finally {
      client.release(isBroken);
    }
    await sleep(Math.random() * RETRY_MS * 2 ** attempt);
  }
}

/** A connection of a pool. @throws PidexError `DATABASE_UNAVAILABLE` */
export async function connectClient(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new PidexError(
      "DATABASE_UNAVAILABLE",
      `cannot connect to PostgreSQL: ${toMessage(error)}`,
      "Check that the server is running, and the address, user and password of the database.",
      { cause: error },
    );
  }
}
