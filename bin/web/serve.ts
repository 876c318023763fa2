/** Starts the server of the page. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { openHub, openIndex, PidexError } from "../../library/index.ts";
import { type HubLocation, type IndexLocation, isLocalIndex } from "../actions/index-location.ts";
import type { SignInLink } from "../actions/sign-in-link.ts";
import type { LinkSource } from "./api/answers.ts";
import { createApp, type LocalSource } from "./app.ts";
import { closeHosts, createHosts, type Hosts } from "./hosts/hosts.ts";
import { loadAssets, pageFolder } from "./server/assets.ts";
import { ChangeFeed } from "./server/change-feed.ts";
import { AuthTokens } from "./server/guard.ts";
import type { Stay } from "./stay-signed-in.ts";

export interface ServeOptions extends Partial<IndexLocation> {
  /** Serves the sessions on this hub instead, read-only. */
  hub?: HubLocation | undefined;
  /** The port to listen on. Default: that of `stay`, or 0, any free port. */
  port?: number | undefined;
  /** Lets browsers stay signed in, on this port. If it is in use, the page has any free port, and they sign in for this run. */
  stay?: Stay | undefined;
  /** The program that creates links to the page. Default: `pidex serve`, which prints them. */
  linksFrom?: LinkSource;
  /** Folder of the built page. */
  pageFolder?: string;
  onNotice?: (message: string) => void;
  /** Key for programs other than browsers. Default: a new random key. */
  key?: string;
  /** Handles Model Context Protocol requests at `/mcp`. */
  mcp?: (request: Request) => Promise<Response>;
}

/** A listening server. */
export interface RunningServer {
  /** URL of the page, for a browser that is signed in. */
  readonly url: string;
  /** Whether browsers stay signed in after the server ends. */
  readonly isStaying: boolean;
  /** Key for programs other than browsers. */
  readonly key: string;
  /** Creates a link that signs in one browser, once, and shows `path`. */
  createLink(path?: string): SignInLink;
  /** Closes the server and aborts its requests. */
  close(): Promise<void>;
}

/** Loopback only, because sessions contain private data. */
const HOST = "127.0.0.1";

/**
 * Serves the page until it is closed, and keeps the index up to date meanwhile.
 *
 * @throws PidexError `BAD_OPTION` if the port is in use, `FILE_UNREADABLE` if the page is not built; as `openIndex`
 */
export async function serve({
  db,
  roots,
  hub,
  port,
  stay,
  linksFrom = "serve",
  pageFolder: page,
  onNotice,
  key,
  mcp,
}: ServeOptions = {}): Promise<RunningServer> {
  const programKey = checkKey(key);
  const assets = loadAssets(page ?? pageFolder());
  const index = await (hub
    ? openHub({ url: hub.url, token: hub.token })
    : openIndex({ db, roots, onNotice }));
  const location = { db: isLocalIndex(index) ? index.path : undefined, roots };
  const hosts = createHosts({ ...location, hub });
  const local = isLocalIndex(index)
    ? { index, changes: new ChangeFeed(location), location: { db, roots } }
    : undefined;
  if (local) refreshRootsAfterSyncs(local, hosts);
  const getPort = () => (server.address() as AddressInfo).port;
  const server = createAdaptorServer({
    fetch: (...request) => app.fetch(...request),
    serverOptions: { maxHeaderSize: MAX_HEADER_BYTES },
  }) as Server;
  let isStaying = false;
  try {
    isStaying = port === undefined && stay !== undefined && (await tryListening(server, stay.port));
    if (!isStaying) await listening(server, port ?? 0);
  } catch (error) {
    await Promise.all([local?.changes.close(), index.close()]);
    throw error;
  }
  if (stay && port === undefined && !isStaying)
    onNotice?.(
      `port ${stay.port} is in use: the page has another address, and browsers are signed in until it ends`,
    );
  const keys = new AuthTokens({ key: programKey, secret: isStaying ? stay?.secret : undefined });
  const app = createApp({
    index,
    local,
    hub: hub && new URL(hub.url).host,
    hosts,
    keys,
    assets,
    port: getPort,
    linksFrom,
    mcp,
  });
  if (!mcp && local) void hosts.searching.call("warmUp").catch(() => {}); // users search soon after opening the page
  const url = `http://${HOST}:${getPort()}/`;
  return {
    url,
    isStaying,
    key: keys.programKey,
    createLink(path = "/") {
      const link = new URL(path, url);
      const { text, ended, revoke } = keys.createToken();
      // In the fragment, which is never sent to a server or logged. The page exchanges it for the key.
      link.hash = `token=${text}`;
      return { href: link.href, ended, revoke };
    },
    async close() {
      keys.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections(); // subscribers of changes never disconnect
      await Promise.all([closed, local?.changes.close(), closeHosts(hosts)]);
      await index.close();
    },
  };
}

/** A sync may find new session folders. Call it first, so that later subscribers see them. */
function refreshRootsAfterSyncs({ index, changes }: LocalSource, hosts: Hosts): void {
  changes.subscribe((change) => {
    if (change.kind !== "synced" || change.paths) return;
    index.refreshRoots();
    for (const host of [hosts.searching, hosts.counting]) {
      if (host.isRunning) void host.call("refreshRoots").catch(() => {}); // a host that starts later finds them itself
    }
  });
}

/** Exports name each selected session in their address: up to about 700. Node's default is 16 KB. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Shorter keys can be guessed by brute force. */
const MIN_KEY_CHARACTERS = 16;

/** @throws PidexError `BAD_OPTION` */
function checkKey(key: string | undefined): string | undefined {
  if (key === undefined || (/^[\w.~+/=-]+$/.test(key) && key.length >= MIN_KEY_CHARACTERS)) return key;
  const hint = `Set PIDEX_TOKEN to at least ${MIN_KEY_CHARACTERS} letters, digits or -._~+/= characters, or unset it to use a random token.`;
  throw new PidexError("BAD_OPTION", "PIDEX_TOKEN is invalid", hint);
}

/** @returns false if the port is in use, or not allowed */
async function tryListening(server: Server, port: number): Promise<boolean> {
  try {
    await listening(server, port);
    return true;
  } catch {
    return false; // the caller uses any free port instead, and reports it
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "it is in use" : cause.message;
      const hint = "Choose another port, or omit it to use any free port.";
      reject(new PidexError("BAD_OPTION", `cannot listen on port ${port}: ${reason}`, hint, { cause }));
    };
    server.once("error", failed);
    server.listen(port, HOST, () => {
      server.off("error", failed);
      resolve();
    });
  });
}
