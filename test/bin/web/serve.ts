/** The published web server, in its own process. */
import type { ChildProcess } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { startServe } from "./start-serve.ts";

export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The key of a signed-in browser. */
  readonly key: string;
  /** The headers that such a browser sends with every request. */
  readonly authorization: string;
  /** The printed link, already used. */
  readonly link: string;
  /** The response to its token. */
  readonly signedIn: Response;
  /** Sends a GET request as a signed-in page. */
  fetch(address: string, init?: RequestInit): Promise<Response>;
  /** The response as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: any answer
  json(address: string, init?: RequestInit): Promise<any>;
  /** Sends a POST request as the page. */
  // biome-ignore lint/suspicious/noExplicitAny: any answer
  act(address: string, body: object): Promise<{ status: number; body: any }>;
  readonly process: ChildProcess;
  /** Standard error so far. */
  stderr(): string;
}

export interface TestServerOptions {
  db?: string;
  env?: NodeJS.ProcessEnv;
  /** When to stop it: after the test by default, or after all tests of the file. */
  atEnd?: (end: () => Promise<void>) => void;
}

/** Serves the sessions of a root, or of the configured roots, until the end of the test. */
export async function serve(
  root: string | undefined,
  { db, env = {}, atEnd = onTestFinished }: TestServerOptions = {},
): Promise<TestServer> {
  const database = db ?? join(temporaryFolder(), "index.db");
  const server = await startServe(
    [
      ...["--no-open", "--port", String(await findPort())],
      ...(root === undefined ? [] : ["--root", root]),
      ...["--db", database],
    ],
    { env, atEnd },
  );
  const link = server.line;
  const { origin } = new URL(link);
  const signedIn = await signIn(link);
  const { key } = (await signedIn.clone().json()) as { key: string };
  const authorization = `Bearer ${key}`;
  const request = (address: string, init: RequestInit = {}) =>
    fetch(new URL(address, origin), { ...init, headers: { authorization, ...init.headers } });
  return {
    origin,
    key,
    authorization,
    process: server.process,
    stderr: server.stderr,
    link,
    signedIn,
    fetch: request,
    json: async (address, init) => (await request(address, init)).json(),
    async act(address, body) {
      const headers = { "content-type": "application/json", origin };
      const response = await request(address, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** The port of this worker's servers: the browser's cache of the page's files is that of an origin. */
let usualPort = 0;

async function findPort(): Promise<number> {
  const port = (await listenOnce(usualPort)) ?? (await listenOnce(0)) ?? 0;
  if (usualPort === 0) usualPort = port;
  return port;
}

/** Listens on a port for a moment. @returns the port, 0 being any, or undefined if another process listens on it */
async function listenOnce(port: number): Promise<number | undefined> {
  const probe = createServer();
  const listening = new Promise<boolean>((resolve) => {
    probe.once("listening", () => resolve(true)).once("error", () => resolve(false));
  });
  probe.listen(port, "127.0.0.1");
  if (!(await listening)) return undefined;
  const found = (probe.address() as AddressInfo).port;
  await new Promise((done) => probe.close(done));
  return found;
}

/** Exchanges the token of a link, as the page does. */
export function signIn(link: string): Promise<Response> {
  const { origin, hash } = new URL(link);
  const token = hash.replace("#token=", "");
  const headers = { "content-type": "application/json", origin };
  return fetch(`${origin}/api/sign-in`, { method: "POST", headers, body: JSON.stringify({ token }) });
}
