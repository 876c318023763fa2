/** The page's server as it is published, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";

export interface Served {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The cookie of a browser that was let in. */
  readonly cookie: string;
  /** The link that was printed, and used. */
  readonly link: string;
  /** What was answered to it. */
  readonly letIn: Response;
  /** Asks as a page that was let in does. */
  fetch(address: string, init?: RequestInit): Promise<Response>;
  /** The answer as JSON, whatever it says. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  json(address: string, init?: RequestInit): Promise<any>;
  /** Has something done, as the page asks for it. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  act(address: string, body: object): Promise<{ status: number; body: any }>;
  readonly process: ChildProcess;
}

export interface ServedOptions {
  db?: string;
  env?: NodeJS.ProcessEnv;
  /** When it is ended: when the test is over, unless all tests of a file have it. */
  atEnd?: (end: () => Promise<void>) => void;
}

/** Serves sessions until the test is over. */
export async function served(
  root: string,
  { db, env = {}, atEnd = onTestFinished }: ServedOptions = {},
): Promise<Served> {
  const database = db ?? join(temporaryFolder(), "index.db");
  const argv = [BUILT_PIDEX, "serve", "--no-open", "--root", root, "--db", database];
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const link = await firstLine(child);
  const { origin } = new URL(link);
  const letIn = await fetch(link, { redirect: "manual" });
  const cookie = (letIn.headers.get("set-cookie") ?? "").split(";")[0] as string;
  const ask = (address: string, init: RequestInit = {}) =>
    fetch(new URL(address, origin), { ...init, headers: { cookie, ...init.headers } });
  return {
    origin,
    cookie,
    process: child,
    link,
    letIn,
    fetch: ask,
    json: async (address, init) => (await ask(address, init)).json(),
    async act(address, body) {
      const headers = { "content-type": "application/json", origin };
      const response = await ask(address, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** The link; what it says on stderr where it says none. */
async function firstLine(child: ChildProcess): Promise<string> {
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  if (!child.stdout) throw new Error("its output is not heard");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`it ended: ${said}`);
}
