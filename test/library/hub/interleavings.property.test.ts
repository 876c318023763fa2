/** Appends, rewrites, crashes, pushes and pulls of two machines in any order. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HubClient } from "../../../library/hub/client.ts";
import { type SignedIn, startHub, type TestHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { append, Crash, createMachine, killAfter, type Machine, message, readFromHub } from "./machine.ts";

const NAMES = ["one", "two"] as const;
const MACHINES = [0, 1] as const;

let hub: TestHub;
let signedIn: [SignedIn, SignedIn];
beforeAll(async () => {
  if (!hasPostgres) return;
  hub = await startHub();
  signedIn = [hub.owner, await hub.addMachine(hub.owner, "desktop")];
});
afterAll(() => hub?.[Symbol.asyncDispose]());

/** The whole lines of a file. */
function wholeLines(path: string): Buffer {
  const bytes = readFileSync(path);
  return bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
}

const machine = fc.constantFrom(...MACHINES);
const name = fc.constantFrom(...NAMES);
const size = fc.constantFrom(1, 10, 1000, 70_000);
const crash = fc.option(fc.record({ after: fc.nat(4), isHandled: fc.boolean() }));

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("append" as const), machine, name, size }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("continue" as const), machine, name, size }) },
  fc.record({ do: fc.constant("tear" as const), machine, name }),
  fc.record({ do: fc.constant("rewrite" as const), machine, name, inPlace: fc.boolean() }),
  fc.record({ do: fc.constant("trash" as const), machine, name }),
  fc.record({ do: fc.constant("lose state" as const), machine }),
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("push" as const), machine, crash, forgets: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pull" as const), machine, crash }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A push is killed after the hub has a line and before it remembers that, and then the file loses that line. */
const FORGOTTEN_THEN_SHORTENED: Step[] = [
  { do: "push", machine: 0, crash: null, forgets: false },
  { do: "append", machine: 0, name: "one", size: 1 },
  { do: "push", machine: 0, crash: null, forgets: true },
  { do: "rewrite", machine: 0, name: "one", inPlace: false },
];

class World {
  readonly machines: Machine[];
  /** Lines that each machine wrote into sessions that it had pulled. */
  readonly continued: [string[], string[]] = [[], []];

  constructor(folder: string) {
    this.machines = signedIn.map((each) => createMachine(hub, each, folder));
    for (const each of this.machines) for (const session of NAMES) each.create(`${session}-${each.name}`);
  }

  at(n: number): Machine {
    return this.machines[n] as Machine;
  }

  path(n: number, session: string): string {
    return this.at(n).path(`${session}-${this.at(n).name}`);
  }

  /** Where a session of the other machine is, if it was pulled. */
  pulled(n: number, session: string): string {
    const other = this.at(1 - n).name;
    return this.at(n).pulled(other, `${session}-${other}`);
  }

  async run(each: Step): Promise<void> {
    const here = this.at(each.machine);
    switch (each.do) {
      case "append":
        return append(this.path(each.machine, each.name), message("a".repeat(each.size)));
      case "continue": {
        const path = this.pulled(each.machine, each.name);
        if (!existsSync(path)) return;
        const line = message("c".repeat(each.size));
        append(path, line);
        this.continued[each.machine].push(line);
        return;
      }
      case "tear":
        return appendFileSync(this.path(each.machine, each.name), '{"type":"mess');
      case "rewrite": {
        const path = this.path(each.machine, each.name);
        const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
        const text = [first, message("rewritten"), ...rest.slice(2)].join("\n");
        const target = each.inPlace ? path : `${path}.tmp`;
        writeFileSync(target, text);
        if (!each.inPlace) renameSync(target, path);
        return;
      }
      case "trash": {
        const path = this.pulled(each.machine, each.name);
        if (!existsSync(path)) return;
        const lines = readFileSync(path, "utf8").split("\n");
        this.continued[each.machine] = this.continued[each.machine].filter((line) => !lines.includes(line));
        return rmSync(path);
      }
      case "lose state":
        return rmSync(here.statePath, { force: true });
      case "push": {
        const before = `${here.statePath}.before`;
        rmSync(before, { force: true });
        if (existsSync(here.statePath)) copyFileSync(here.statePath, before);
        await survive(here.push({ hub: requests(here, each.crash) }));
        if (!each.forgets) return;
        if (existsSync(before)) copyFileSync(before, here.statePath);
        else rmSync(here.statePath, { force: true });
        return;
      }
      case "pull":
        await survive(here.pull({ hub: requests(here, each.crash) }));
    }
  }
}

async function forgetAll(): Promise<void> {
  const files = await Array.fromAsync(hub.owner.client.own());
  for (const { client, machine } of signedIn) {
    const paths = files.filter((file) => file.machine === machine).map(({ path }) => path);
    if (paths.length > 0) await client.forget(paths);
  }
}

function requests({ signIn }: Machine, crash: { after: number; isHandled: boolean } | null) {
  const client = new HubClient(signIn);
  return crash ? killAfter(client, crash.after, crash.isHandled) : client;
}

async function survive(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

test.skipIf(!hasPostgres)(
  "whatever happens, the hub has the whole lines of every session, and every machine those of the other",
  async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await forgetAll();
        const world = new World(mkdtempSync(join(folder, "run-")));
        for (const each of steps) await world.run(each);
        for (const _ of [1, 2]) {
          for (const each of world.machines) expect((await each.push()).failed).toEqual([]);
          for (const each of world.machines) expect((await each.pull()).failed).toEqual([]);
        }
        for (const n of MACHINES) {
          const here = world.at(n);
          const files = here.sessions().map(({ path }) => path);
          for (const session of NAMES) {
            const path = world.path(n, session);
            const sent = await readFromHub(hub, here.name, path);
            expect(sent?.equals(wholeLines(path)), path).toBe(true);
            const theirs = world.pulled(1 - n, session);
            const isTrashed = !existsSync(theirs);
            if (!isTrashed)
              expect(readFileSync(theirs).subarray(0, wholeLines(path).length)).toEqual(wholeLines(path));
          }
          const all = new Set(files.flatMap((path) => readFileSync(path, "utf8").split("\n")));
          for (const line of world.continued[n]) expect(all.has(line)).toBe(true);
        }
      }),
      { numRuns: Number(process.env.PIDEX_RUNS ?? 25), verbose: 1, examples: [[FORGOTTEN_THEN_SHORTENED]] },
    );
  },
  600_000,
);
