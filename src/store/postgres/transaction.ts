import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { PidexError, systemCode, toMessage } from "../../errors.ts";

/** Serialization failure and deadlock: the same transaction may succeed when it runs again. */
const RETRIED_CODES = ["40001", "40P01"];
/** A statement after one that failed. */
const FAILED_TRANSACTION = "25P02";
const MAX_ATTEMPTS = 6;
/** Maximum wait before the second attempt, in milliseconds; it doubles with each further one. */
const RETRY_MS = 20;

/**
 * Runs work in a transaction. After a deadlock it runs again, so it must have no effect outside of the database that may not be repeated.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE` if the server cannot be reached; what `work` throws, after everything was rolled back
 */
export function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return retry(pool, (client) => run(client, "BEGIN", work));
}

/**
 * As `inTransaction`, but all statements see the same state of the database, and only one transaction at a time has the lock. It sees
 * what the one before it wrote.
 *
 * @param lock the two keys of an advisory lock
 */
export function inLockedSnapshot<T>(
  pool: Pool,
  lock: readonly [number, number],
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return retry(pool, async (client) => {
    // Before the transaction, which sees what was committed when its first statement began, not when it had the lock.
    await client.query("SELECT pg_advisory_lock($1, $2)", [...lock]);
    const unlock = () => client.query("SELECT pg_advisory_unlock($1, $2)", [...lock]);
    let result: T;
    try {
      result = await run(client, "BEGIN ISOLATION LEVEL REPEATABLE READ", work);
    } catch (error) {
      await unlock().catch(() => {}); // a lost connection has no lock, and the caller must learn why it was lost
      throw error;
    }
    await unlock();
    return result;
  });
}

async function run<T>(
  client: PoolClient,
  begin: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  await client.query(begin);
  // Statements that were sent after the one that failed fail too, and the caller may learn of one of them first.
  let first: unknown;
  const tracked: PoolClient = Object.create(client, {
    query: {
      value(...args: Parameters<PoolClient["query"]>) {
        const result = client.query(...args) as unknown as Promise<unknown>;
        result.catch((error: unknown) => {
          first ??= error;
        });
        return result;
      },
    },
  });
  try {
    const result = await work(tracked);
    await client.query("COMMIT");
    return result;
  } catch (caught) {
    const error = systemCode(caught) === FAILED_TRANSACTION ? first : caught;
    await client.query("ROLLBACK").catch(() => {}); // if the connection has been lost, `retry` closes it
    throw error;
  }
}

async function retry<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await connectClient(pool);
    let isBroken = false;
    try {
      return await work(client);
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
