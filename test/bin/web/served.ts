/** The page's server as it is published, in a process of its own. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { started } from "./started.ts";

export interface Served {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The key of a browser that is signed in. */
  readonly key: string;
  /** What such a browser sends with each question. */
  readonly authorization: string;
  /** The link that was printed, and used. */
  readonly link: string;
  /** What was answered to its token. */
  readonly signedIn: Response;
  /** Asks as a page that is signed in does. */
  fetch(address: string, init?: RequestInit): Promise<Response>;
  /** The answer as JSON, whatever it says. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  json(address: string, init?: RequestInit): Promise<any>;
  /** Has something done, as the page asks for it. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  act(address: string, body: object): Promise<{ status: number; body: any }>;
  readonly process: ChildProcess;
  /** Everything it wrote to stderr so far. */
  stderr(): string;
}

export interface ServedOptions {
  db?: string;
  env?: NodeJS.ProcessEnv;
  /** When it is ended: when the test is over, unless all tests of a file have it. */
  atEnd?: (end: () => Promise<void>) => void;
}

/** Serves the sessions of a root, or of those that are used where none is named, until the test is over. */
export async function served(
  root: string | undefined,
  { db, env = {}, atEnd = onTestFinished }: ServedOptions = {},
): Promise<Served> {
  const database = db ?? join(temporaryFolder(), "index.db");
  const server = await started(
    ["--no-open", ...(root === undefined ? [] : ["--root", root]), "--db", database],
    { env, atEnd },
  );
  const link = server.line;
  const { origin } = new URL(link);
  const signedIn = await signIn(link);
  const { key } = (await signedIn.clone().json()) as { key: string };
  const authorization = `Bearer ${key}`;
  const ask = (address: string, init: RequestInit = {}) =>
    fetch(new URL(address, origin), { ...init, headers: { authorization, ...init.headers } });
  return {
    origin,
    key,
    authorization,
    process: server.process,
    stderr: server.stderr,
    link,
    signedIn,
    fetch: ask,
    json: async (address, init) => (await ask(address, init)).json(),
    async act(address, body) {
      const headers = { "content-type": "application/json", origin };
      const response = await ask(address, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** What the page does when a browser opens a link. */
export function signIn(link: string): Promise<Response> {
  const { origin, hash } = new URL(link);
  const token = hash.replace("#token=", "");
  const headers = { "content-type": "application/json", origin };
  return fetch(`${origin}/api/sign-in`, { method: "POST", headers, body: JSON.stringify({ token }) });
}
