import pg, { type Pool, type PoolConfig } from "pg";

/** Numbers of type bigint are read as numbers: times, sizes and money are safe integers. Keys of events are read as text. */
const types: PoolConfig["types"] = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text")) as never,
};

/** Opens connections to a database as needed. Close them with `end`. */
export function connect(url: string, options: Pick<PoolConfig, "max"> = {}): Pool {
  const pool = new pg.Pool({ connectionString: url, application_name: "pidex", types, ...options });
  // Without a listener, the loss of an idle connection ends the process. The pool opens another one when it needs it.
  pool.on("error", () => {});
  return pool;
}
