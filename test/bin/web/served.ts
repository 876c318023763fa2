/** The built server of the page, in a separate process. */
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
  /** The `Authorization` header of such a browser. */
  readonly authorization: string;
  /** The sign-in link that was printed and used. */
  readonly link: string;
  /** The response to its token. */
  readonly signedIn: Response;
  /** A request with the key. */
  fetch(address: string, init?: RequestInit): Promise<Response>;
  /** The response as JSON, whatever its status. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  json(address: string, init?: RequestInit): Promise<any>;
  /** A POST request as sent by the page. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  act(address: string, body: object): Promise<{ status: number; body: any }>;
  readonly process: ChildProcess;
  /** Its stderr so far. */
  stderr(): string;
}

export interface ServedOptions {
  db?: string;
  env?: NodeJS.ProcessEnv;
  /** Registers the cleanup. By default the server ends with the test. */
  atEnd?: (end: () => Promise<void>) => void;
}

/** Serves the sessions of a root, or of the default roots, until the test ends. */
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
  const fetchWithKey = (address: string, init: RequestInit = {}) =>
    fetch(new URL(address, origin), { ...init, headers: { authorization, ...init.headers } });
  return {
    origin,
    key,
    authorization,
    process: server.process,
    stderr: server.stderr,
    link,
    signedIn,
    fetch: fetchWithKey,
    json: async (address, init) => (await fetchWithKey(address, init)).json(),
    async act(address, body) {
      const headers = { "content-type": "application/json", origin };
      const response = await fetchWithKey(address, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** Signs in as the page does when a browser opens a link. */
export function signIn(link: string): Promise<Response> {
  const { origin, hash } = new URL(link);
  const token = hash.replace("#token=", "");
  const headers = { "content-type": "application/json", origin };
  return fetch(`${origin}/api/sign-in`, { method: "POST", headers, body: JSON.stringify({ token }) });
}
