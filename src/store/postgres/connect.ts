import pg, { type Pool, type PoolConfig } from "pg";

/** Numbers of type bigint are read as numbers: times, sizes and money are safe integers. Keys of events are read as text. */
const types: PoolConfig["types"] = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text")) as never,
};

/** Opens connections to a database as needed. Close them with `end`. */
export function connect(
  url: string,
  options: Pick<PoolConfig, "max" | "idleTimeoutMillis" | "connectionTimeoutMillis" | "stream"> = {},
): Pool {
  // Statements are sent without waiting for the results of those before: an append of one line needs 20, but few round trips.
  const pipeline = { pipeline: true };
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "pidex",
    types,
    ...pipeline,
    ...options,
  });
  // Without listeners, the loss of a connection ends the process. The statement that runs on it fails, and the pool opens another
  // connection when it needs one.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
