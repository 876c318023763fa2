/**
 * `npm run soak:hub -- [--minutes 10] [--machines 50]`: machines of several people append lines to sessions and push them to a hub on
 * PostgreSQL, while some pull, search and read usage. No request may fail. At the end the hub must have every file byte for byte and
 * the cost of all of them, and its memory must not have grown.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { median, p95 } from "../../bench/distribution.ts";
import { startHubProcess } from "../../fixtures/hub-process.ts";
import { findPrograms, startServer } from "../../fixtures/postgres-server.ts";
import { HubClient } from "../../library/hub/client.ts";
import { inviteAnswer } from "../../library/hub/protocol.ts";
import { openHub } from "../../library/index.ts";
import { connect } from "../../src/store/postgres/connect.ts";
import { joinHub } from "../bin/hub/hubs.ts";
import { append, Machine, readFromHub } from "../library/hub/machine.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, machines: { type: "string", default: "50" } },
});
const MINUTE_MS = 60_000;
const DURATION_MS = Number(values.minutes) * MINUTE_MS;
const MACHINES = Number(values.machines);
const MACHINES_PER_PERSON = 5;
const SESSIONS_PER_MACHINE = 4;
const PUSH_EVERY_MS = 1_000;
const SAMPLE_EVERY_MS = 5_000;
const PROBE_EVERY_MS = 500;
/** Largest growth of the hub's memory: the last two minutes against minutes 2 to 4. */
const MAX_GROWTH = 1.3;
const SETTLED_WITHIN_MS = 30_000;
const WORDS = ["deploy", "rollback", "schema", "index", "latency", "cache", "token", "branch"];

const cli = join(import.meta.dirname, "../../dist/bin/pidex.js");
if (!existsSync(cli)) throw new Error("Run npm run build first: the hub runs from dist/");
const programs = findPrograms();
if (!programs) throw new Error("Install PostgreSQL 15 or newer");
const folder = mkdtempSync(join(tmpdir(), "pidex-soak-hub-"));
const server = await startServer(programs, "on");
const hub = await startHubProcess(cli, server.urlOf("postgres")).catch((error: unknown) => {
  server.kill();
  throw error;
});
const pool = connect(server.urlOf("postgres"), { max: 1 });

interface Sample {
  at: number;
  ms: number;
}
const times: Record<string, Sample[]> = {};
const errors = new Map<string, number>();
let startedAt = performance.now();
const elapsed = () => performance.now() - startedAt;

/** Runs and times an operation; a failure is counted. */
async function measure(name: string, run: () => Promise<unknown>): Promise<void> {
  const at = elapsed();
  try {
    await run();
    times[name] ??= [];
    times[name].push({ at, ms: elapsed() - at });
  } catch (error) {
    countError(`${name}: ${error}`);
  }
}

function countError(message: string): void {
  errors.set(message, (errors.get(message) ?? 0) + 1);
}

let responses = 0;

/** A model response with a cost in whole nano-dollars. */
function response(): { line: string; nanoUsd: number } {
  const n = ++responses;
  const nanoUsd = 1_000 * (1 + Math.floor(Math.random() * 5_000));
  const now = new Date();
  const text = Array.from({ length: 60 }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(" ");
  const usage = {
    ...{ input: n, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: n + 10 },
    cost: { input: nanoUsd / 1e9, output: 0, cacheRead: 0, cacheWrite: 0, total: nanoUsd / 1e9 },
  };
  const message = {
    ...{ role: "assistant", content: [{ type: "text", text: `${text} soak${n}` }] },
    ...{ api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5", responseId: `r${n}` },
    ...{ usage, stopReason: "stop", timestamp: now.getTime() },
  };
  const entry = { type: "message", id: `r${n}`, parentId: null, timestamp: now.toISOString(), message };
  return { line: JSON.stringify(entry), nanoUsd };
}

interface Simulated {
  machine: Machine;
  paths: string[];
}
const machines: Simulated[] = [];
const costs = new Map<string, number>();
const owner = await joinHub(hub.url, hub.invitation, "ada-laptop");
for (let n = 0; n < MACHINES; n++) {
  const person = `person-${Math.floor(n / MACHINES_PER_PERSON)}`;
  const body = { name: person, role: "member" };
  // Only an owner invites new people; other machines are invited by their person.
  const first = machines.find(({ machine }) => machine.signIn.person === person);
  const inviter = first ? new HubClient(first.machine.signIn) : owner.client;
  const { invitation } = await inviter.json("POST", "v1/invitations", inviteAnswer, { body });
  const { token, machine: name } = await joinHub(hub.url, invitation, `machine-${n}`);
  const machine = new Machine(join(folder, name), { url: hub.url, token, machine: name, person });
  const paths = Array.from({ length: SESSIONS_PER_MACHINE }, (_, m) =>
    machine.create(`${name}-session-${m}`),
  );
  machines.push({ machine, paths });
}

async function simulate({ machine, paths }: Simulated): Promise<void> {
  const { signIn } = machine;
  const index = await openHub({ url: signIn.url, token: signIn.token });
  try {
    for (let turn = 0; elapsed() < DURATION_MS; turn++) {
      await pause(-Math.log(1 - Math.random()) * PUSH_EVERY_MS);
      const { line, nanoUsd } = response();
      append(paths[Math.floor(Math.random() * paths.length)] as string, line);
      costs.set(signIn.person, (costs.get(signIn.person) ?? 0) + nanoUsd);
      await measure("push", () => pushAll(machine));
      const chance = Math.random();
      if (chance < 0.02) await measure("pull", () => machine.pull());
      else if (chance < 0.1)
        await measure("search", () => index.search(WORDS[turn % WORDS.length] as string));
      else if (chance < 0.18) await measure("usage", () => index.usage({ by: ["model"] }));
    }
  } finally {
    await index.close();
  }
}

async function pushAll(machine: Machine): Promise<void> {
  const { failed } = await machine.push();
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
}

const memory: Sample[] = [];
let maxConnections = 0;

async function sample(): Promise<void> {
  while (elapsed() < DURATION_MS) {
    const status = readFileSync(`/proc/${hub.pid}/status`, "utf8");
    memory.push({ at: elapsed(), ms: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 });
    const { rows } = await pool.query(
      "SELECT count(*) - 1 AS n FROM pg_stat_activity WHERE backend_type = 'client backend'",
    );
    maxConnections = Math.max(maxConnections, Number(rows[0].n));
    await pause(SAMPLE_EVERY_MS);
  }
}

/** Sends the cheapest request all the time: it waits when the hub's event loop is blocked. */
async function probe(): Promise<void> {
  while (elapsed() < DURATION_MS) {
    await measure("GET /v1/me", () => owner.client.me());
    await pause(PROBE_EVERY_MS);
  }
}

const failures: string[] = [];

async function check(): Promise<number> {
  let different = 0;
  for (const { machine, paths } of machines) {
    await measure("last push", () => pushAll(machine));
    for (const path of paths) {
      const remote = await readFromHub({ pool }, machine.name, path);
      if (!remote?.equals(readFileSync(path))) different++;
    }
  }
  if (different > 0) failures.push(`${different} files on the hub differ from the machine's`);
  for (const [person, nanoUsd] of costs) {
    const token = machines.find(({ machine }) => machine.signIn.person === person)?.machine.signIn.token;
    const index = await openHub({ url: hub.url, token: token as string });
    const end = performance.now() + SETTLED_WITHIN_MS;
    let total = (await index.usage()).total.costNanoUsd;
    // The hub settles the ledger in the background.
    while (total !== nanoUsd && performance.now() < end) {
      await pause(500);
      total = (await index.usage()).total.costNanoUsd;
    }
    await index.close();
    if (total !== nanoUsd) failures.push(`${person}: the hub has ${total} nano-dollars, not ${nanoUsd}`);
  }
  return different;
}

function between(samples: readonly Sample[], from: number, to: number): number[] {
  return samples.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
}

function format(name: string, ms: readonly number[]): string {
  const [p50, p95th, slowest] = [median(ms), p95(ms), Math.max(...ms)].map((value) => value.toFixed(1));
  return `${name}: ${ms.length}, p50 ${p50} ms, p95 ${p95th} ms, slowest ${slowest} ms`;
}

try {
  startedAt = performance.now();
  await Promise.all([sample(), probe(), ...machines.map(simulate)]);
  const different = await check();
  const [early, late] = [
    between(memory, 2 * MINUTE_MS, 4 * MINUTE_MS),
    between(memory, DURATION_MS - 2 * MINUTE_MS, DURATION_MS),
  ].map(median) as [number, number];
  if (DURATION_MS >= 6 * MINUTE_MS && late > early * MAX_GROWTH) {
    failures.push(`the hub grew from ${early.toFixed(0)} to ${late.toFixed(0)} MB`);
  }
  for (const [message, count] of errors) failures.push(`${count} x ${message}`);
  const pushes = times.push ?? [];
  const minutes = Array.from({ length: Math.ceil(DURATION_MS / MINUTE_MS) }, (_, n) =>
    median(between(memory, n * MINUTE_MS, (n + 1) * MINUTE_MS)).toFixed(0),
  );
  console.log(`soak of a hub: ${values.minutes} minutes, ${MACHINES} machines of ${costs.size} people
  ${Object.entries(times)
    .map(([name, samples]) =>
      format(
        name,
        samples.map(({ ms }) => ms),
      ),
    )
    .join("\n  ")}
  ${format("pushes in the first minute", between(pushes, 0, MINUTE_MS))}
  ${format("pushes in the last minute", between(pushes, DURATION_MS - MINUTE_MS, DURATION_MS))}
  ${different} of ${MACHINES * SESSIONS_PER_MACHINE} files differ; ${responses} lines appended
  memory of the hub by minute, MB: ${minutes.join(", ")}; at most ${maxConnections} connections
  ${failures.length === 0 ? "nothing failed" : `FAILED\n  ${failures.join("\n  ")}`}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await pool.end();
  await hub.stop();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
