/** `pidex push` and `pidex pull` as processes that are killed at each of their requests, and run again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { writeHubSettings } from "../../../library/hub/settings.ts";
import { writeSignIn } from "../../../library/hub/sign-in.ts";
import { BUILT_PIDEX } from "../../built.ts";
import {
  append,
  createMachine,
  type Machine,
  message,
  readFromHub,
  SHOP,
} from "../../library/hub/machine.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { type SignedIn, startHub, type TestHub } from "../hub/hubs.ts";

/** When a process is killed: before the hub has its request, when it has handled it, or when half of the answer was sent. */
type Moment = "before" | "handled" | "half";

/** A proxy before a hub that kills the process that sends the n-th request. */
class KillingProxy {
  readonly #hub: URL;
  readonly #server = createServer((incoming, response) => void this.#forward(incoming, response));
  child: ChildProcess | undefined;
  kill: { at: number; moment: Moment } | undefined;
  requests = 0;
  /** Bytes of session files that the hub has added. */
  added = 0;

  constructor(hub: string) {
    this.#hub = new URL(hub);
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const moment = ++this.requests === this.kill?.at ? this.kill.moment : undefined;
    if (moment === "before") return this.#end(response);
    const body = await buffer(incoming);
    const { method, url, headers } = incoming;
    const sent = request(new URL(url as string, this.#hub), {
      method: method as string,
      headers: { ...headers, host: this.#hub.host },
    });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const bytes = await buffer(answer);
    if (url === "/v1/append" && answer.statusCode === 200) {
      this.added += JSON.parse(body.subarray(0, body.indexOf("\n")).toString()).bytes;
    }
    if (moment === "handled") return this.#end(response);
    response.writeHead(answer.statusCode as number, answer.headers);
    if (moment !== "half") return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length / 2), () => this.#end(response));
  }

  #end(response: ServerResponse): void {
    this.child?.kill("SIGKILL");
    response.destroy();
  }
}

/** A machine whose pidex reaches the hub through a proxy. */
async function createProxied(hub: TestHub, signedIn: SignedIn, folder: string) {
  const proxy = new KillingProxy(hub.url);
  const url = await proxy.listen();
  const machine = createMachine(hub, signedIn, folder);
  mkdirSync(machine.root, { recursive: true });
  writeSignIn({ ...machine.signIn, url }, machine.environment);
  writeHubSettings({ projects: [{ folder: SHOP, share: "mine" }], folders: [] }, machine.environment);
  return { machine, proxy };
}

/** Runs pidex on a machine. @returns its exit code, or the signal that ended it */
async function runPidex({ machine, proxy }: { machine: Machine; proxy: KillingProxy }, argv: string[]) {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: machine.home, TMPDIR: machine.home };
  proxy.requests = 0;
  proxy.child = spawn(process.execPath, [BUILT_PIDEX, ...argv], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code, signal] = await once(proxy.child, "exit");
  return code ?? signal;
}

test.skipIf(!hasPostgres)(
  "a push that is killed at any request is completed by the next one, and nothing is sent twice",
  async () => {
    await using hub = await startHub();
    const proxied = await createProxied(hub, hub.owner, temporaryFolder());
    const { machine, proxy } = proxied;
    const paths = ["red", "blue"].map((name) => machine.create(name, [message(`begin ${name}`)]));
    let kills = 0;
    for (const moment of ["before", "handled"] as const) {
      for (let at = 1; ; at++) {
        for (const path of paths) append(path, message(`${moment} ${at}`));
        proxy.kill = { at, moment };
        const ended = await runPidex(proxied, ["push"]);
        proxy.kill = undefined;
        if (ended === "SIGKILL") expect(await runPidex(proxied, ["push"])).toBe(0);
        for (const path of paths)
          expect(await readFromHub(hub, machine.name, path)).toEqual(readFileSync(path));
        expect(proxy.added).toBe(paths.reduce((sum, path) => sum + readFileSync(path).length, 0));
        if (ended === 0) break;
        kills++;
      }
    }
    expect(kills).toBeGreaterThanOrEqual(4);
    const { rows } = await hub.pool.query("SELECT count(*) AS files FROM file");
    expect(rows).toEqual([{ files: paths.length }]);
  },
  120_000,
);

test.skipIf(!hasPostgres)(
  "a pull that is killed at any request is completed by the next one, byte for byte",
  async () => {
    await using hub = await startHub();
    const folder = temporaryFolder();
    const laptop = createMachine(hub, hub.owner, folder);
    const names = ["red", "blue"];
    const paths = names.map((name) => laptop.create(name, [message(`begin ${name}`)]));
    const proxied = await createProxied(hub, await hub.addMachine(hub.owner, "desktop"), folder);
    const { machine, proxy } = proxied;
    let kills = 0;
    for (const moment of ["before", "half"] as const) {
      for (let at = 1; ; at++) {
        for (const path of paths) append(path, message(`${moment} ${at} ${"text ".repeat(at * 1_000)}`));
        await laptop.push();
        proxy.kill = { at, moment };
        const ended = await runPidex(proxied, ["pull"]);
        proxy.kill = undefined;
        for (const { path } of machine.sessions()) {
          // Whatever is there is the beginning of the session, in whole lines.
          const [pulled, original] = [readFileSync(path), readFileSync(laptop.path(nameOf(path)))];
          expect(original.subarray(0, pulled.length)).toEqual(pulled);
          expect(pulled.at(-1)).toBe(10);
        }
        if (ended === "SIGKILL") expect(await runPidex(proxied, ["pull"])).toBe(0);
        for (const name of names)
          expect(readFileSync(machine.pulled(laptop.name, name))).toEqual(readFileSync(laptop.path(name)));
        expect(machine.sessions().length).toBe(names.length);
        if (ended === 0) break;
        kills++;
      }
    }
    expect(kills).toBeGreaterThanOrEqual(4);
  },
  120_000,
);

const nameOf = (path: string): string => /([^/\\]+)\.jsonl$/.exec(path)?.[1] as string;
