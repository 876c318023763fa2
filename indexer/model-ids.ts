import type { StatementPreparer } from "../src/store/sqlite/statements.ts";

const MODEL_CACHE_SIZE = 10_000;

/** The row ids of models, cached for a transaction. A model without a row gets one. */
export function prepareModelIds(db: StatementPreparer) {
  const select = db
    .prepare<[string, string], number>("SELECT id FROM model WHERE provider = ? AND model = ?")
    .pluck();
  const insert = db.prepare("INSERT INTO model (provider, model) VALUES (?, ?)");
  const ids = new Map<string, number>();

  return {
    /** Call it first in each transaction: other processes may have changed the cached rows. */
    begin: () => ids.clear(),
    idOf(provider: string, model: string): number {
      const name = JSON.stringify([provider, model]);
      let id = ids.get(name) ?? select.get(provider, model);
      id ??= Number(insert.run(provider, model).lastInsertRowid);
      if (ids.size >= MODEL_CACHE_SIZE) ids.clear();
      ids.set(name, id);
      return id;
    },
  };
}
