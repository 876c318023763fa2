import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { forgetRemote } from "../../indexer/forget-remote.ts";
import { settleAll } from "../../indexer/hub-ledger.ts";
import { ByteChain } from "../../src/byte-chain.ts";
import { isSubagentPath, toRoot } from "../../src/session/locations.ts";
import { parseBillingRecord } from "../../src/store/billing-record.ts";
import { inTransaction } from "../../src/store/postgres/transaction.ts";
import { ATTRIBUTION } from "../../src/store/schema.ts";
import { unpackRollup } from "../../src/store/usage-rollup.ts";
import { createDatabase, hasPostgres } from "../store/postgres/databases.ts";
import { addMachine, ingestFile, type Machine } from "../store/postgres/ingest.ts";
import { temporaryFolder } from "../temporary.ts";
import { naiveLedger } from "./naive-ledger.ts";
import { RootSimulation, type Step, steps } from "./root-simulation.ts";

const RUNS = Number(process.env.PIDEX_RUNS ?? 15);
const ATTRIBUTION_NAMES = Object.fromEntries(Object.entries(ATTRIBUTION).map(([name, code]) => [code, name]));

/** The sessions of a folder on a hub, brought up to date as a machine would. */
class Mirror {
  readonly #pool: Pool;
  readonly #machine: Machine;
  readonly #root: string;
  readonly #known = new Map<string, { cursor: number; digest: string }>();

  constructor(pool: Pool, machine: Machine, root: string) {
    this.#pool = pool;
    this.#machine = machine;
    this.#root = root;
  }

  /** @param order shuffles the files */
  async update(order: number): Promise<void> {
    const names = (readdirSync(this.#root, { recursive: true }) as string[]).filter((name) =>
      name.endsWith(".jsonl"),
    );
    const paths = names
      .map((name) => join(this.#root, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    const shuffled = paths.toSorted((a, b) => hash(a, order) - hash(b, order));
    for (const path of this.#known.keys()) if (!paths.includes(path)) await this.#forget(path);
    for (const [n, path] of shuffled.entries()) {
      const bytes = readFileSync(path);
      const known = this.#known.get(path);
      if (known && digestOf(bytes.subarray(0, known.cursor)) !== known.digest) await this.#forget(path);
      const subagent = isSubagentPath(path, toRoot(this.#root)) ? 1 : 0;
      const { cursor, digest } = await ingestFile(this.#pool, this.#machine, path, { subagent });
      this.#known.set(path, { cursor, digest });
      if ((n + order) % 3 === 0) await settleAll(this.#pool, this.#machine.shelf);
    }
    await settleAll(this.#pool, this.#machine.shelf);
  }

  async #forget(path: string): Promise<void> {
    const { rows } = await this.#pool.query(
      "SELECT shelf, id FROM file WHERE machine = $1 AND local_path = $2",
      [this.#machine.machine, path],
    );
    await inTransaction(this.#pool, (client) => forgetRemote(client, rows[0]));
    this.#known.delete(path);
  }

  /** Events and sums, in the format of `NaiveLedger`. */
  async dump(): Promise<{ event: string[]; rollup: string[] }> {
    const { rows: billed } = await this.#pool.query<{ path: string; line: number; record: string }>(
      `SELECT local_path AS path, line, record FROM billing JOIN file ON file.shelf = billing.shelf AND file.id = billing.file_id
       WHERE billing.shelf = $1`,
      [this.#machine.shelf],
    );
    const { rows: states } = await this.#pool.query(
      `SELECT local_path AS path, line, ordinal, attribution FROM event_state
       JOIN file ON file.shelf = event_state.shelf AND file.id = event_state.file_id WHERE event_state.shelf = $1`,
      [this.#machine.shelf],
    );
    const attributions = new Map(
      states.map((row) => [`${row.path} ${row.line} ${row.ordinal}`, row.attribution]),
    );
    const { rows: days } = await this.#pool.query(
      `SELECT local_path AS path, day, rows FROM usage_day JOIN file ON file.shelf = usage_day.shelf AND file.id = usage_day.file_id
       WHERE usage_day.shelf = $1`,
      [this.#machine.shelf],
    );
    const { rows: all } = await this.#pool.query("SELECT * FROM usage_series");
    const series = new Map(all.map((row) => [row.id, row]));
    const rollup = days.flatMap(({ path, day, rows }) =>
      unpackRollup(day, rows).map(({ bucket, series: id, sums }) => {
        const { kind, provider, model, agent, tool, stop, current, context } = series.get(id);
        const at = [
          quarterName(bucket),
          path,
          kind,
          `${provider}/${model}`,
          agent,
          tool,
          stop,
          current === 1,
          context,
        ];
        return `${at.join(" | ")} = ${sums}`;
      }),
    );
    const event = billed.flatMap(({ path, line, record }) =>
      parseBillingRecord(record).events.map(({ kind }, ordinal) => {
        const attribution = ATTRIBUTION_NAMES[attributions.get(`${path} ${line} ${ordinal}`) ?? 0];
        return [path, line, ordinal, kind, attribution].join(" | ");
      }),
    );
    return { event: event.sort(), rollup: rollup.sort() };
  }
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}

function digestOf(bytes: Buffer): string {
  const chain = new ByteChain();
  chain.add(bytes);
  return chain.digest;
}

function quarterName(quarter: number): string {
  const time = quarter * 900_000;
  return time < -8.64e15 ? "never" : new Date(time).toISOString();
}

/** Ends the last line of each file: a machine pushes whole lines only. */
function endLines(root: string): void {
  for (const name of readdirSync(root, { recursive: true }) as string[]) {
    const path = join(root, name);
    if (!name.endsWith(".jsonl") || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const bytes = readFileSync(path);
    if (bytes.length > 0 && bytes.at(-1) !== 10) appendFileSync(path, "\n");
  }
}

async function live(pool: Pool, here: string, taken: Step[]): Promise<void> {
  mkdirSync(here, { recursive: true });
  const simulation = new RootSimulation(join(here, "sessions"));
  const mirror = new Mirror(pool, await addMachine(pool), simulation.root);
  let order = taken[0]?.choice ?? 0;
  for (const step of [...taken, undefined]) {
    if (step) simulation.take(step);
    if (step && !step.sync) continue;
    endLines(simulation.root);
    await mirror.update(order++);
    const { events, rollup } = naiveLedger(simulation.root);
    const event = events
      .map((each) => [each.path, each.line, each.ordinal, each.kind, each.attribution].join(" | "))
      .sort();
    expect(await mirror.dump()).toEqual({
      event,
      rollup: [...rollup].map(([key, sums]) => `${key} = ${sums}`).sort(),
    });
  }
  rmSync(here, { recursive: true, force: true });
}

test.skipIf(!hasPostgres)(
  "a hub's ledger matches the files, whatever order they come in and whatever is deleted",
  async () => {
    await using database = await createDatabase();
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, (taken) => live(database.pool, join(folder, String(++run)), taken)),
      { numRuns: RUNS },
    );
  },
  600_000,
);
