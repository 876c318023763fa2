/** `npm run bench:hub`: measures a hub on PostgreSQL, in a process of its own. See bench/README.md. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startHubProcess } from "../../fixtures/hub-process.ts";
import { findPrograms, startServer } from "../../fixtures/postgres-server.ts";
import { HubClient } from "../../library/hub/client.ts";
import { requireSignIn } from "../../library/hub/sign-in.ts";
import { openHub, openIndex } from "../../library/index.ts";
import { ByteChain } from "../../src/byte-chain.ts";
import { connect } from "../../src/store/postgres/connect.ts";
import { prepareRoot } from "../bench-root.ts";
import { runChild } from "../child.ts";
import { median, p95 } from "../distribution.ts";
import type { Floor } from "../floor.ts";
import { chooseQueries } from "../queries.ts";
import { measureGrowth } from "./growth.ts";

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "push,append,search,forget" },
    size: { type: "string", default: "500MB" },
    roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
    database: { type: "string" },
    appends: { type: "string", default: "1000" },
    rounds: { type: "string", default: "8" },
  },
});
const parts = new Set(values.parts.split(","));
const APPEND_EVERY_MS = 15;
const FORGOTTEN = 20;

const cli = join(import.meta.dirname, "../../dist/bin/pidex.js");
if (!existsSync(cli)) throw new Error("Run npm run build first: the hub runs from dist/");
const root = prepareRoot(values.roots, "mixed", values.size);
const programs = findPrograms();
if (!values.database && !programs) throw new Error("Install PostgreSQL 15 or newer, or pass --database");
const home = mkdtempSync(join(tmpdir(), "pidex-bench-hub-"));
const server = values.database ? undefined : await startServer(programs as string, "on");
const url = values.database ?? (server?.urlOf("postgres") as string);
const hub = await startHubProcess(cli, url).catch((error: unknown) => {
  server?.kill();
  throw error;
});
const pool = connect(url);

/** Runs the built command line in a home folder of its own. */
function run(...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_SESSION_DIR: root.path };
  execFileSync(process.execPath, [cli, ...args], { env, stdio: ["ignore", "ignore", "inherit"] });
}

async function time(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const format = (ms: readonly number[]) =>
  `p50 ${median(ms).toFixed(1)} ms, p95 ${p95(ms).toFixed(1)} ms, slowest ${Math.max(...ms).toFixed(1)} ms`;

/** The other parts need what this one sends. */
async function push(): Promise<void> {
  run("hub", "join", hub.url, hub.invitation);
  run("share", "/", "--yes");
  run("index", "--root", root.path);
  const floor = runChild<Floor>("floor.ts", root.path);
  const ms = await time(() => run("push", "--root", root.path));
  const { rows } = await pool.query(
    `SELECT (SELECT sum(cursor)::bigint FROM file) AS bytes, pg_database_size(current_database()) AS total,
       pg_total_relation_size('posting') AS posting, pg_total_relation_size('segment') AS segment`,
  );
  const { bytes, total, posting, segment } = rows[0];
  if (Number(bytes) !== floor.bytes) throw new Error(`the hub has ${bytes} of ${floor.bytes} bytes`);
  const share = (part: number) => (part / bytes).toFixed(2);
  const rate = (bytes / 1e3 / ms).toFixed(1);
  console.log(`push: ${(ms / 1000).toFixed(1)} s, ${rate} MB/s, ${(ms / floor.ms).toFixed(1)} x the floor
  database: ${share(total)} bytes per byte of sessions; postings ${share(posting)}, segments ${share(segment)}`);
}

interface StoredFile {
  path: string;
  bytes: number;
}

/** The client is this process; new sessions, because those of the root are not written to. */
async function append(client: HubClient): Promise<void> {
  const times: number[] = [];
  const floor: number[] = [];
  const chains = Array.from({ length: 50 }, () => ({ chain: new ByteChain(), bytes: 0 }));
  for (let n = 0; n < Number(values.appends) + chains.length; n++) {
    const file = chains[n % chains.length] as (typeof chains)[number];
    const isNew = file.bytes === 0;
    const timestamp = new Date().toISOString();
    const content = `append ${n} ${"word ".repeat(40 + (n % 200))}`;
    const line = isNew
      ? { type: "session", version: 3, id: `appended-${n}`, timestamp, cwd: "/appended" }
      : { type: "message", id: `a${n}`, parentId: null, timestamp, message: { role: "user", content } };
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    const { digest } = file.chain;
    file.chain.add(bytes);
    const header = {
      ...{ path: `/appended/${n % chains.length}.jsonl`, shelf: "mine" as const, subagent: false },
      ...{ modified: Date.now(), cursor: file.bytes, digest, next: file.chain.digest, bytes: bytes.length },
    };
    file.bytes += bytes.length;
    const ms = await time(() => client.append(header, bytes));
    if (!isNew) times.push(ms);
    floor.push(await time(() => client.me()));
    await pause(APPEND_EVERY_MS);
  }
  console.log(`append: ${format(times)}\n  GET /v1/me: ${format(floor)}`);
}

async function search(client: { url: string; token: string }): Promise<void> {
  const db = join(home, "bench.db");
  await using local = await openIndex({ db, roots: [root.path] });
  await local.sync();
  await using remote = await openHub(client);
  for (const { name, queries } of await chooseQueries(root, db)) {
    const [here, there]: [number[], number[]] = [[], []];
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const { text, options = {} } of queries) {
        there.push(await time(() => remote.search(text, options)));
        here.push(await time(() => local.search(text, options)));
      }
    }
    const ratio = (median(there) / median(here)).toFixed(1);
    console.log(`search, ${name}: ${format(there)}; ${ratio} x the local index (${format(here)})`);
  }
}

async function forget(client: HubClient): Promise<void> {
  const { rows } = await pool.query<StoredFile>(
    "SELECT path, cursor AS bytes FROM file WHERE path NOT LIKE '%:/appended/%' ORDER BY cursor",
  );
  const middle = Math.max(0, Math.floor((rows.length - FORGOTTEN) / 2));
  const toLocal = ({ path }: StoredFile) => path.slice(path.indexOf(":") + 1);
  const times: number[] = [];
  for (const file of rows.slice(middle, middle + FORGOTTEN)) {
    times.push(await time(() => client.forget([toLocal(file)])));
  }
  console.log(`forget, sessions of median size: ${format(times)}`);
  const largest = rows.at(-1);
  if (!largest) return;
  const ms = await time(() => client.forget([toLocal(largest)]));
  console.log(`forget, the largest (${(Number(largest.bytes) / 1e6).toFixed(1)} MB): ${ms.toFixed(0)} ms`);
}

try {
  mkdirSync(home, { recursive: true });
  await push();
  const signIn = requireSignIn({ HOME: home });
  const client = new HubClient(signIn);
  if (parts.has("append")) await append(client);
  if (parts.has("search")) await search({ url: signIn.url, token: signIn.token });
  if (parts.has("forget")) await forget(client);
  if (parts.has("growth")) {
    if (!server) throw new Error("growth needs a second database, so it runs without --database");
    await pool.end();
    await hub.stop();
    await measureGrowth(server);
  }
} finally {
  if (!pool.ended) await pool.end();
  await hub.stop();
  server?.kill();
  rmSync(home, { recursive: true, force: true });
}
