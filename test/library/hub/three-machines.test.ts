import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { home } from "../../../fixtures/builder.ts";
import { catalog } from "../../../fixtures/catalog.ts";
import { HubClient } from "../../../library/hub/client.ts";
import type { LocalSession } from "../../../library/hub/local-sessions.ts";
import { type HubIndex, type Index, openIndex } from "../../../library/index.ts";
import { isSubagentPath, toRoot } from "../../../src/session/locations.ts";
import { startHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openAs } from "./hub-files.ts";
import { append, createMachine, Machine } from "./machine.ts";

/** A machine that pushes everything. */
class Pushing extends Machine {
  /** Changes the order of the files. */
  shuffle = 0;

  override sessions(): LocalSession[] {
    const root = toRoot(this.root);
    const sessions = super
      .sessions()
      .filter(({ id, cwd }) => id && cwd)
      .map((each) => ({ ...each, subagent: isSubagentPath(each.path, root) }));
    return sessions.sort((a, b) => mix(a.path, this.shuffle) - mix(b.path, this.shuffle));
  }

  write(name: string, text: string): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.endsWith("\n") ? text : `${text}\n`);
    return path;
  }
}

function mix(text: string, seed: number): number {
  let value = seed;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}

/** Sessions with subagents, their callers and forks. */
const SESSIONS = catalog
  .filter(
    ({ root, session }) => root === "pi" && !("cwd" in session.header && session.header.cwd === undefined),
  )
  .map(({ path, session }) => ({ name: path.slice("pi/".length), text: session.text() }));

/** A billed message, as an agent appends it. */
function billed(id: string, nanoUsd: number): string {
  const total = nanoUsd / 1e9;
  const usage = {
    ...{ input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15 },
    cost: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
  };
  const timestamp = "2026-03-02T09:01:00.000Z";
  const message = {
    ...{ role: "assistant", content: [{ type: "text", text: `answer ${id}` }], provider: "anthropic" },
    ...{ api: "anthropic-messages", model: "claude-sonnet-4-5", usage, stopReason: "stop" },
    timestamp: Date.parse(timestamp) + nanoUsd,
  };
  return JSON.stringify({ type: "message", id, parentId: null, timestamp, message });
}

/** The session as a fork on another machine: a new header, and all entries. */
function fork(text: string, id: string, parentSession: string): string {
  const [first = "", ...entries] = text.split("\n");
  const header = JSON.parse(first);
  return [
    JSON.stringify({ ...header, id, timestamp: "2026-03-01T09:00:00.000Z", parentSession }),
    ...entries,
  ].join("\n");
}

const plain = (text: string) => text.replace(/^[a-z0-9-]+:(?=\/)/, "");

/** Costs in total, and by session and model. */
async function costsOf(index: HubIndex | Index) {
  const by = async (dimension: "session" | "model" | "day" | "agent" | "kind" | "branch") => {
    const { rows } = await index.usage({ by: [dimension], limit: 1000, timeZone: "UTC" });
    return rows
      .map(({ key, costNanoUsd, events }) => [plain(String(key[dimension])), costNanoUsd, events].join(" "))
      .sort();
  };
  const { total } = await index.usage({});
  return {
    total: [total.costNanoUsd, total.events, total.costUsd],
    session: await by("session"),
    model: await by("model"),
    day: await by("day"),
    agent: await by("agent"),
    kind: await by("kind"),
    branch: await by("branch"),
  };
}

test.skipIf(!hasPostgres)(
  "three machines with the same sessions push at once: the hub's costs are those of one index of all files",
  async () => {
    await using hub = await startHub();
    const folder = temporaryFolder();
    const create = (signedIn: typeof hub.owner) => {
      const { name, signIn } = createMachine(hub, signedIn, folder);
      return new Pushing(join(folder, name), signIn);
    };
    const [laptop, second, third] = [
      create(hub.owner),
      create(await hub.addMachine(hub.owner, "bench")),
      create(await hub.addMachine(hub.owner, "cabin")),
    ];
    const machines = [laptop, second, third];
    for (const machine of machines) {
      machine.projects = [{ folder: "/", share: "mine" }];
      machine.shuffle = Math.floor(Math.random() * 1_000);
    }
    const seeds = machines.map(({ shuffle }) => shuffle).join(" ");
    const moved = (text: string, machine: Pushing) => text.replaceAll(home, machine.root);
    for (const [n, { name, text }] of SESSIONS.entries()) {
      laptop.write(name, moved(text, laptop));
      // The same homes, one older; some sessions went on in two places.
      if (n % 4 !== 3) second.write(name, moved(text, second));
      if (n % 2 === 0) {
        const lines = moved(text, third).trimEnd().split("\n");
        third.write(name, lines.slice(0, Math.ceil(lines.length * 0.7)).join("\n"));
      }
      if (n % 5 === 0) append(join(second.root, name), billed(`b${n}`, 1_000_001 + n));
      if (n % 6 === 0) append(join(third.root, name), billed(`c${n}`, 7 + n));
      const isSubagent = isSubagentPath(join(laptop.root, name), toRoot(laptop.root));
      if (n % 3 === 0 && !isSubagent) {
        const path = third.write(
          name.replace(".jsonl", "-fork.jsonl"),
          fork(moved(text, third), `fork-${n}`, join(third.root, name)),
        );
        append(path, billed(`f${n}`, 123_456_789 + n));
      }
    }

    await using local = await openIndex({
      db: join(folder, "index.db"),
      roots: machines.map(({ root }) => root),
    });
    await using index = await openAs(hub, hub.owner);
    const compare = async (what: string) => {
      await local.sync();
      expect([what, seeds, await costsOf(index)]).toEqual([what, seeds, await costsOf(local)]);
    };
    const pushAll = async () => {
      const reports = await Promise.all(machines.map((machine) => machine.push()));
      expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
      return reports.reduce((sum, { bytes }) => sum + bytes, 0);
    };
    expect(await pushAll()).toBeGreaterThan(100_000);
    expect((await index.usage({})).total.events).toBeGreaterThan(50);
    await compare("pushed");
    expect(await pushAll()).toBe(0);
    for (const machine of machines) rmSync(machine.statePath);
    expect(await pushAll()).toBe(0);
    await compare("pushed again");

    // Each machine appends while the others do.
    for (const [n, machine] of machines.entries()) {
      const { path } = machine.sessions()[n] as LocalSession;
      append(path, billed(`late${n}`, 31 + n));
    }
    await pushAll();
    await compare("went on");

    // Owners of shared events, callers and subagents.
    await Promise.all(
      machines.map(async (machine) => {
        const gone = machine.sessions().filter(({ path }) => mix(path, machine.shuffle) % 4 === 0);
        const paths = gone.map(({ path }) => path);
        if (paths.length > 0) expect(await new HubClient(machine.signIn).forget(paths)).toBe(paths.length);
        for (const path of paths) rmSync(path);
      }),
    );
    await compare("forgotten");
    await pushAll();
    await compare("pushed after that");
  },
  120_000,
);
