import type { Migration } from "kysely/migration";

interface Step extends Migration {
  loadSchema?: () => Promise<string>;
}

/**
 * Every migration by name, in order. One that was released is never changed again: a new one follows it. Each
 * imports kysely alone, so that it goes on meaning what it meant. The last one has the schema of a new index:
 * `npm run docs` writes it.
 */
export const migrations: Record<string, Step> = {
  "0001-sessions": lazily(() => import("./0001-sessions.ts")),
  "0002-entry-text": lazily(() => import("./0002-entry-text.ts")),
  "0003-search": lazily(() => import("./0003-search.ts")),
  "0004-ledger": lazily(() => import("./0004-ledger.ts")),
  "0005-views": lazily(() => import("./0005-views.ts")),
  "0006-organising": lazily(() => import("./0006-organising.ts")),
  "0007-generation": lazily(() => import("./0007-generation.ts")),
  "0008-text-columns": lazily(() => import("./0008-text-columns.ts")),
  "0009-blocks": lazily(() => import("./0009-blocks.ts")),
  "0010-vocabulary": lazily(() => import("./0010-vocabulary.ts")),
  "0011-lineages": lazily(() => import("./0011-lineages.ts")),
  "0012-nested-calls": lazily(() => import("./0012-nested-calls.ts")),
  "0013-checksums": lazily(() => import("./0013-checksums.ts")),
  "0014-erasure": {
    ...lazily(() => import("./0014-erasure.ts")),
    loadSchema: async () => (await import("./newest-schema.ts")).SCHEMA,
  },
};

/** A migration that is loaded when it runs: as a rule none does. */
function lazily(load: () => Promise<Migration>): Migration {
  return { up: async (db) => (await load()).up(db) };
}
