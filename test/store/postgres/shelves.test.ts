import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { settleAll } from "../../../indexer/hub-ledger.ts";
import { usage } from "../../../query/usage/usage.ts";
import { usageEvents } from "../../../query/usage/usage-events.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { temporaryFolder } from "../../temporary.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile } from "./ingest.ts";

const USAGE = { input: 1000, output: 200, cost: { total: 0.5 } };

describe.skipIf(!hasPostgres)("an event on two shelves", () => {
  test.each(["the original", "the copy"])(
    "counts once for a reader of both, whichever is settled last: %s",
    async (last) => {
      await using database = await createDatabase();
      const { pool } = database;
      const folder = temporaryFolder();
      mkdirSync(folder, { recursive: true });
      const [original, copy] = [join(folder, "original.jsonl"), join(folder, "copy.jsonl")];
      const built = session({ id: "original", timestamp: "2026-01-05T09:00:00.000Z" })
        .user("What is the tax?")
        .assistant("19 %", { usage: USAGE })
        .assistant("7 %", { usage: { ...USAGE, cost: { total: 0.25 } } });
      built.write(original);
      const [, ...entries] = built.lines;
      const header = {
        ...JSON.parse(built.lines[0] as string),
        id: "copy",
        timestamp: "2026-01-06T09:00:00.000Z",
      };
      const own = session({ id: "x", timestamp: "2026-01-06T09:00:00.000Z" }).assistant("New", {
        usage: USAGE,
      }).lines[1];
      writeFileSync(copy, `${[JSON.stringify(header), ...entries, own].join("\n")}\n`);

      const [ada, bob] = [await addMachine(pool, "ada"), await addMachine(pool, "bob")];
      const [first, second] = last === "the copy" ? [original, copy] : [copy, original];
      for (const path of [first, second]) {
        const machine = path === original ? ada : bob;
        await ingestFile(pool, machine, path);
        await settleAll(pool, machine.shelf);
      }

      const costs = (shelves: number[]) =>
        withPostgresStore(pool, shelves, async (store: Store) => {
          const { total, rows } = await usage(store, { by: ["session"] });
          const events = await Array.fromAsync(usageEvents(store, {}));
          return {
            total: total.costNanoUsd,
            rows: rows.map(({ costNanoUsd }) => costNanoUsd),
            events: events.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0),
          };
        });
      expect(await costs([ada.shelf])).toEqual({
        total: 750_000_000,
        rows: [750_000_000],
        events: 750_000_000,
      });
      expect(await costs([bob.shelf])).toEqual({
        total: 1_250_000_000,
        rows: [1_250_000_000],
        events: 1_250_000_000,
      });
      expect(await costs([ada.shelf, bob.shelf])).toEqual({
        total: 1_250_000_000,
        rows: [750_000_000, 500_000_000],
        events: 1_250_000_000,
      });
    },
  );
});
