/** `pidex hub join`, `leave` and `status`. */
import { hostname } from "node:os";
import { HubClient } from "../../library/hub/client.ts";
import { hubStatus, joinAnswer } from "../../library/hub/protocol.ts";
import { deleteSignIn, readSignIn, writeSignIn } from "../../library/hub/sign-in.ts";
import { PidexError } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatNumber } from "../format/numbers.ts";
import { toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import { openClient } from "./hub-client.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { printNotice } from "./run.ts";
import { formatFacts, formatRow } from "./table.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export async function join(
  io: Io,
  [url = "", invitation = ""]: string[],
  { machine: wanted = toMachineName(hostname()) }: Flags<"hub join">,
): Promise<void> {
  const known = readSignIn();
  if (known) {
    const message = `this machine is signed in to ${known.url} as ${known.machine}`;
    throw new PidexError("BAD_OPTION", message, "Run pidex hub leave first.");
  }
  const client = new HubClient({ url });
  const { protocol, hostname: host } = new URL(client.url);
  if (protocol === "http:" && !LOOPBACK.includes(host)) {
    printNotice(io, "the hub has no TLS: the token and the sessions are sent unencrypted");
  }
  const body = { invitation, machine: wanted };
  const { token, machine, person, role } = await client.json("POST", "v1/join", joinAnswer, { body });
  writeSignIn({ url: client.url, token, machine, person });
  await io.out(`Signed in as ${toOneLine(machine)} of ${toOneLine(person)} (${role})\n`);
}

/** A host name as the name of a machine: without its domain, and with other characters replaced. */
export function toMachineName(host: string): string {
  const [first = ""] = host.toLowerCase().split(".");
  const name = first
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[_-]+/, "")
    .slice(0, 60);
  return name.length < 2 || name === "file" ? `machine${name && `-${name}`}` : name;
}

export async function leave(io: Io): Promise<void> {
  const { client, signIn } = openClient();
  try {
    await client.request("DELETE", `v1/machines/${encodeURIComponent(signIn.machine)}`);
  } catch (error) {
    // The token was revoked already.
    if (!(error instanceof PidexError && error.code === "NOT_SIGNED_IN")) throw error;
  }
  deleteSignIn();
  await io.out(`Signed out of ${toOneLine(signIn.url)}\n`);
}

export async function status(io: Io, _: string[], { json, ndjson }: Flags<"hub status">): Promise<void> {
  const { client, signIn } = openClient();
  const [me, totals] = await Promise.all([client.me(), client.json("GET", "v1/status", hubStatus)]);
  const { url } = signIn;
  if (json || ndjson) return writeJson(io, { url, ...me, ...totals });
  const facts = {
    Hub: url,
    Version: `${totals.version} (${totals.database})`,
    "Signed in as": `${me.machine} of ${me.person} (${me.role})`,
    Members: formatNumber(totals.people),
    Machines: formatNumber(totals.machines),
    Sessions: `${formatNumber(totals.sessions)} (${formatBytes(totals.bytes)})`,
    Database: formatBytes(totals.databaseBytes),
    "To reindex": totals.outdated === 0 ? undefined : formatNumber(totals.outdated),
  };
  if (io.isTerminal) return io.out(formatFacts(io, facts, 14));
  return io.out(
    Object.entries({ url, ...me, ...totals })
      .map(formatRow)
      .join(""),
  );
}
