/** Database connections that are lost at a chosen statement. */
import type { Pool, PoolClient } from "pg";

/** Where a connection is lost. */
export interface Loss {
  /** Number of the statement, from 1. */
  statement: number;
  /** After it was done, so that only its answer is lost. Default: before it. */
  isAfter?: boolean;
}

/** A pool whose connections are used by one operation. */
export interface CountedPool {
  pool: Pool;
  /** The beginnings of the statements so far. */
  statements: string[];
}

type Query = (...args: unknown[]) => unknown;

/** A pool that ends a connection at one of its statements. Statements on all of its connections are counted. */
export function losingPool(real: Pool, loss?: Loss): CountedPool {
  const statements: string[] = [];
  const end = async (client: PoolClient) => {
    const ended = new Promise<void>((resolve) => client.once("end", resolve));
    const { processID } = client as unknown as { processID: number };
    await real.query("SELECT pg_terminate_backend($1)", [processID]);
    await ended;
  };
  const query = (client: PoolClient, args: unknown[]): unknown => {
    const [first] = args as [string | { text: string }];
    const isLost =
      statements.push(typeof first === "string" ? first : String(first.text)) === loss?.statement;
    const send = () => (client.query as Query).apply(client, args);
    if (!isLost) return send();
    return (async () => {
      if (loss?.isAfter) await send();
      await end(client);
      return await send();
    })();
  };
  const connect = async () => {
    const client = await real.connect();
    return new Proxy(client, {
      get(target, key) {
        if (key === "query") return (...args: unknown[]) => query(target, args);
        const value = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  const pool = {
    connect,
    async query(...args: unknown[]) {
      const client = await connect();
      let isBroken = true;
      try {
        const result = await (client.query as unknown as Query)(...args);
        isBroken = false;
        return result;
      } finally {
        client.release(isBroken);
      }
    },
  };
  return { pool: pool as unknown as Pool, statements };
}
