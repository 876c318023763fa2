/**
 * A process that runs all queries of the index until it is killed: `node reader.ts <root> <database>`. Prints each query's name
 * and milliseconds on standard output, and unexpected errors on standard error.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Index, openIndex, PidexError } from "../../library/index.ts";

const [root = "", db = ""] = process.argv.slice(2);
/** The notice that a deleted index is rebuilt. */
const onNotice = (text: string) => {
  if (!/^another pidex process is building a new index/.test(text)) console.error(`notice: ${text}`);
};
const index = await openIndex({ db, roots: [root], onNotice });

/** Errors that are expected because sessions change during queries. */
const EXPECTED = new Set(["NOT_FOUND", "FILE_CHANGED", "AMBIGUOUS"]);
const isGone = (error: unknown) =>
  error instanceof PidexError && (EXPECTED.has(error.code) || error.code === "FILE_UNREADABLE");

const QUERIES: Record<string, (index: Index) => Promise<unknown>> = {
  sync: async () => index.sync(),
  list: async () => index.listAll({ limit: 50 }),
  search: async () => index.search("lorem entry", { limit: 10 }),
  usage: async () => index.usage({ by: ["model"] }),
  stats: async () => index.stats(),
  tree: async () => index.tree("@last"),
  show: async () => {
    for await (const _ of index.entries("@last", { branch: "all" }));
  },
  scan: async () => {
    let hits = 0;
    for await (const _ of index.scan({ substring: "of the lorem" })) if (++hits > 50) break;
  },
};

for (;;) {
  for (const [name, query] of Object.entries(QUERIES)) {
    const start = performance.now();
    try {
      await query(index);
    } catch (error) {
      if (!isGone(error)) console.error(name, error);
    }
    console.log(`${name} ${(performance.now() - start).toFixed(1)}`);
    await pause(Math.random() * 100);
  }
}
