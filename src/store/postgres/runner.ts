import { createHash } from "node:crypto";
import type { ClientBase } from "pg";
import type { Statement, StatementRunner } from "../sql.ts";

/** Names of prepared statements by text. Texts depend on which options are set, not on their values, so there are few. */
const names = new Map<string, string>();
const MAX_NAMES = 2_000;

/** Runs statements on one connection, which runs one after the other. Each is planned once per connection. */
export class Runner implements StatementRunner {
  readonly #client: ClientBase;
  readonly #onStatement: ((statement: Statement) => void) | undefined;

  /** @param onStatement called with each statement, for tests */
  constructor(client: ClientBase, onStatement?: (statement: Statement) => void) {
    this.#client = client;
    this.#onStatement = onStatement;
  }

  placeholder(n: number): string {
    return `$${n}`;
  }

  async query<Row>({ sql, values }: Statement): Promise<Row[]> {
    this.#onStatement?.({ sql, values });
    let name = names.get(sql);
    if (name === undefined && names.size < MAX_NAMES) {
      name = createHash("sha1").update(sql).digest("hex");
      names.set(sql, name);
    }
    const config = { ...(name && { name }), text: sql, values: [...values] };
    const { rows } = await this.#client.query(config);
    return rows as Row[];
  }
}
