import type { Pool, PoolClient } from "pg";
import { systemCode } from "../../errors.ts";

const MAX_ATTEMPTS = 5;
/** Serialization failure and deadlock: the transaction had no effect, and may succeed if it is repeated. */
const REPEATABLE = new Set(["40001", "40P01"]);

/** Runs statements in a transaction, which is rolled back if one fails, and repeated if others were in its way. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(pool, work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !REPEATABLE.has(systemCode(error) ?? "")) throw error;
    }
  }
}

async function attemptTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
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
    throw error;
  } finally {
    client.release(isBroken);
  }
}
