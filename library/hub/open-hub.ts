import { requireOptions, requireText } from "../../src/arguments.ts";
import { badOption } from "../../src/errors.ts";
import type { HubIndex } from "./hub-index.ts";

export interface OpenHubOptions {
  /** The hub's address. Default: that of the hub that this machine is signed in to. */
  url?: string;
  /** The token of a machine. Default: the stored one. */
  token?: string;
}

/**
 * Opens the hub that this machine is signed in to (`pidex hub join`), or another one. Sends no request before the first call.
 *
 * @example
 * const hub = await openHub();
 * for (const { path, machine, firstMessage } of (await hub.listAll({ limit: 10 })).sessions) console.log(machine, path, firstMessage);
 * await hub.close();
 *
 * @throws PidexError `NOT_SIGNED_IN` without options, if this machine is not signed in; `BAD_OPTION` for an invalid URL
 */
export async function openHub(options: OpenHubOptions = {}): Promise<HubIndex> {
  requireOptions(options, ["url", "token"]);
  const { url, token } = options;
  if ((url === undefined) !== (token === undefined)) {
    throw badOption("url and token must be passed together", "Pass both, or neither for the stored sign-in.");
  }
  if (url !== undefined) requireText(url, "url");
  if (token !== undefined) requireText(token, "token");
  const { openRemoteIndex } = await import("./remote-index.ts");
  return openRemoteIndex(url !== undefined && token !== undefined ? { url, token } : undefined);
}
