/** A machine of a person: its home folder, its session folder, and pushes and pulls as `pidex push` and `pidex pull` run them. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HubClient } from "../../../library/hub/client.ts";
import type { LocalSession } from "../../../library/hub/local-sessions.ts";
import { pull } from "../../../library/hub/pull/pull.ts";
import { openPullState } from "../../../library/hub/pull/pull-state.ts";
import { push } from "../../../library/hub/push/push.ts";
import { getPushStatePath, PushState } from "../../../library/hub/push/push-state.ts";
import type { SharedProject } from "../../../library/hub/settings.ts";
import type { SignIn } from "../../../library/hub/sign-in.ts";
import { getDataFolder } from "../../../src/environment.ts";
import { toMachinePath } from "../../../src/machine-path.ts";
import { readAt } from "../../../src/session/lines.ts";
import { getMachinesFolder } from "../../../src/session/pulled-sessions.ts";
import { readBytes } from "../../../src/store/postgres/segments.ts";
import type { SignedIn, TestHub } from "../../bin/hub/hubs.ts";

/** The bytes that a hub has of a machine's file; undefined if it has none. */
export async function readFromHub(
  hub: Pick<TestHub, "pool">,
  machine: string,
  path: string,
): Promise<Buffer | undefined> {
  const client = await hub.pool.connect();
  try {
    const { rows } = await client.query("SELECT shelf, id, cursor FROM file WHERE path = $1", [
      toMachinePath(machine, path),
    ]);
    return rows[0] && (await readBytes(client, rows[0], 0, Number(rows[0].cursor)));
  } finally {
    client.release();
  }
}

/** A machine of a person who is signed in to a hub, with a home folder of its own. */
export function createMachine(hub: Pick<TestHub, "url">, signedIn: SignedIn, folder: string): Machine {
  const { machine, person, token } = signedIn;
  return new Machine(join(folder, machine), { url: hub.url, token, machine, person });
}

/** Ada's project on every machine. */
export const SHOP = "/home/ada/shop";

export class Machine {
  readonly home: string;
  readonly signIn: SignIn;
  readonly environment: { HOME: string };
  projects: SharedProject[] = [{ folder: SHOP, share: "mine" }];
  signal: AbortSignal | undefined;
  /** Time of the last message of all sessions. */
  modified = new Date();

  constructor(home: string, signIn: SignIn) {
    this.home = home;
    this.signIn = signIn;
    this.environment = { HOME: home };
  }

  get name(): string {
    return this.signIn.machine;
  }

  get root(): string {
    return join(this.home, ".pi", "agent", "sessions");
  }

  /** The folder of pulled sessions. */
  get machines(): string {
    return getMachinesFolder(this.environment);
  }

  /** Path of a session in the folder of the project. */
  path(name: string): string {
    return join(this.root, "--home-ada-shop--", `${name}.jsonl`);
  }

  /** Path of a session that was pulled from another machine. */
  pulled(machine: string, name: string): string {
    return join(this.machines, machine, "--home-ada-shop--", `${name}.jsonl`);
  }

  /** Writes a new session with a header and lines. */
  create(name: string, lines: readonly string[] = [], cwd = SHOP): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    const header = { type: "session", version: 3, id: name, timestamp: "2026-11-02T09:00:00.000Z", cwd };
    writeFileSync(path, [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join(""));
    return path;
  }

  /** All session files, with the header's id and cwd, read with JSON.parse. */
  sessions(): LocalSession[] {
    return [this.root, this.machines].filter(existsSync).flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => {
          const path = join(folder, name);
          const { id, cwd } = JSON.parse(readFirstLine(path));
          return { path, id, cwd, subagent: false, modified: this.modified };
        }),
    );
  }

  get statePath(): string {
    return getPushStatePath(this.signIn, this.environment);
  }

  push({ hub = new HubClient(this.signIn) }: { hub?: HubRequests } = {}) {
    return push(this.sessions(), {
      hub,
      projects: this.projects,
      state: new PushState(this.statePath),
      pulled: openPullState(this.environment),
      signal: this.signal,
    });
  }

  pull({ dryRun = false, hub = new HubClient(this.signIn) }: { dryRun?: boolean; hub?: HubRequests } = {}) {
    const paths = new Set(this.sessions().map(({ path }) => path));
    return pull({
      hub,
      machine: this.name,
      state: openPullState(this.environment),
      folder: this.machines,
      incomingFolder: join(getDataFolder(this.environment, process.platform), "incoming"),
      isLocalSession: (path) => paths.has(path),
      signal: this.signal,
      dryRun,
    });
  }
}

/** The requests of pushes and pulls. */
export type HubRequests = Pick<HubClient, "exclusions" | "files" | "append" | "forget" | "own" | "ownBytes">;

/** What a crash throws. */
export class Crash extends Error {}

/**
 * Requests of a process that is killed at one of them.
 *
 * @param after the number of requests that it survives
 * @param isHandled whether the hub still handles the last request
 */
export function killAfter(hub: HubRequests, after: number, isHandled: boolean): HubRequests {
  let requests = 0;
  const request = async <T>(send: () => Promise<T>): Promise<T> => {
    if (requests > after) throw new Crash();
    const isLast = requests++ === after;
    if (isLast && !isHandled) throw new Crash();
    const answer = await send();
    if (isLast) throw new Crash();
    return answer;
  };
  async function* stream<T>(send: () => AsyncGenerator<T>): AsyncGenerator<T> {
    yield* await request(async () => {
      const items: T[] = [];
      for await (const item of send()) items.push(item);
      return items;
    });
  }
  return {
    exclusions: (...args) => request(() => hub.exclusions(...args)),
    files: (...args) => request(() => hub.files(...args)),
    append: (...args) => request(() => hub.append(...args)),
    forget: (...args) => request(() => hub.forget(...args)),
    own: (...args) => stream(() => hub.own(...args)),
    ownBytes: (...args) => stream(() => hub.ownBytes(...args)),
  };
}

/** The first line of a file, which may be too large to read whole. */
function readFirstLine(path: string): string {
  const fd = openSync(path, "r");
  try {
    return readAt(fd, 0, 4_096).toString().split("\n")[0] as string;
  } finally {
    closeSync(fd);
  }
}

let entries = 0;

/** A line with a message. */
export function message(text: string): string {
  const id = `e${++entries}`;
  const timestamp = "2026-11-02T09:01:00.000Z";
  return JSON.stringify({
    type: "message",
    id,
    parentId: null,
    timestamp,
    message: { role: "user", content: text },
  });
}

export function append(path: string, ...lines: string[]): void {
  appendFileSync(path, lines.map((line) => `${line}\n`).join(""));
}
