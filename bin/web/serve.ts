/** Starts the server of the page. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { openIndex, PidexError } from "../../library/index.ts";
import type { SignInLink } from "../actions/sign-in-link.ts";
import type { LinkSource } from "./api/answers.ts";
import { makeApp } from "./app.ts";
import { closeHosts, makeHosts } from "./hosts/hosts.ts";
import { loadAssets, pageFolder } from "./server/assets.ts";
import { Changes } from "./server/changes.ts";
import { Keys } from "./server/guard.ts";

export interface ServeOptions {
  db?: string | undefined;
  roots?: string[] | undefined;
  /** The port to listen on; 0, the default, takes any that is free. */
  port?: number;
  /** What opens the page, and gives out links. Default: `pidex serve`, which prints them. */
  linksFrom?: LinkSource;
  /** Where the built page lies. */
  page?: string;
  onNotice?: (message: string) => void;
  /** What lets programs in that are no browser; made anew unless told. */
  key?: string;
  /** What answers them by the Model Context Protocol, below `/mcp`. */
  mcp?: (request: Request) => Promise<Response>;
}

/** A server that listens. */
export interface Serving {
  /** Where the page is, for a browser that is signed in already. */
  readonly url: string;
  /** What lets in programs that are no browser. */
  readonly key: string;
  /** An address that signs one browser in, once. `path` is what it then shows. */
  newLink(path?: string): SignInLink;
  /** Ends it, and whatever it is asked. */
  close(): Promise<void>;
}

/** The loopback, and nothing else, ever: sessions hold whatever was on the screen. */
const HOST = "127.0.0.1";

/**
 * Serves the page until it is closed, and keeps the index up to date meanwhile.
 *
 * @throws PidexError `BAD_OPTION` where the port is taken, `FILE_UNREADABLE` where the page was not built; as `openIndex`
 */
export async function serve({
  db,
  roots,
  port = 0,
  linksFrom = "serve",
  page,
  onNotice,
  key,
  mcp,
}: ServeOptions = {}): Promise<Serving> {
  const keys = new Keys(keyOf(key));
  const assets = loadAssets(page ?? pageFolder());
  const index = await openIndex({
    ...(db !== undefined && { db }),
    ...(roots && { roots }),
    ...(onNotice && { onNotice }),
  });
  const changes = new Changes({ db: index.path, roots });
  const hosts = makeHosts({ db: index.path, roots });
  // What was synced may lie in folders of agents that came meanwhile. Registered first: who is told next sees them.
  changes.listen((change) => {
    if (change.kind !== "synced" || change.paths) return;
    index.refreshRoots();
    for (const host of [hosts.searching, hosts.counting]) {
      if (host.isRunning) void host.call("refreshRoots").catch(() => {}); // one that is started later finds them itself
    }
  });
  const listensOn = () => (server.address() as AddressInfo).port;
  const place = { db, roots };
  const app = makeApp({ index, hosts, keys, assets, changes, place, port: listensOn, linksFrom, mcp });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  try {
    await listening(server, port);
  } catch (error) {
    await Promise.all([changes.close(), index.close()]);
    throw error;
  }
  if (!mcp) void hosts.searching.call("warmUp").catch(() => {}); // whoever opens the page searches soon
  const url = `http://${HOST}:${listensOn()}/`;
  return {
    url,
    key: keys.key,
    newLink(path = "/") {
      const link = new URL(path, url);
      const { text, ended, revoke } = keys.newToken();
      // After "#", it is sent to no server and stands in no log: the page itself exchanges it for the key.
      link.hash = `token=${text}`;
      return { href: link.href, ended, revoke };
    },
    async close() {
      keys.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections(); // who listens for changes never hangs up
      await Promise.all([closed, changes.close(), closeHosts(hosts)]);
      await index.close();
    },
  };
}

/** Fewer letters than these can be tried one after the other. */
const FEWEST_LETTERS = 16;

/** @throws PidexError `BAD_OPTION` */
function keyOf(key: string | undefined): string | undefined {
  if (key === undefined || (/^[\w.~+/=-]+$/.test(key) && key.length >= FEWEST_LETTERS)) return key;
  const hint = `Give PIDEX_TOKEN ${FEWEST_LETTERS} letters, digits or -._~+/= at least, or leave it out: then a key is made.`;
  throw new PidexError("BAD_OPTION", "PIDEX_TOKEN is no key that lets programs in", hint);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "another program has it" : cause.message;
      const hint = "Name another one, or none: then any that is free is taken.";
      reject(new PidexError("BAD_OPTION", `port ${port} cannot be listened on: ${why}`, hint, { cause }));
    });
    server.listen(port, HOST, () => resolve());
  });
}
