import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { inviteRequest } from "../../library/hub/protocol.ts";
import type { IngestService } from "../../library/hub/server/ingest-service.ts";
import { openHubDatabase } from "../../library/hub/server/open-database.ts";
import { inviteFirstOwner } from "../../library/hub/server/people.ts";
import { PidexError } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { threadHost } from "../actions/index-host.ts";
import { waitForAbort } from "../actions/wait-for-abort.ts";
import { toSafe } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { printNotice, runUntilSignal } from "./run.ts";

/** Indexing creates much garbage, and collects it less often with more memory than the usual 16 MB. */
const INGEST_LIMITS = { maxYoungGenerationSizeMb: 64 };

const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

/** `pidex hub`: runs a hub until Ctrl+C or SIGTERM. */
export async function run(io: Io, _: string[], flags: Flags<"hub">): Promise<void> {
  const { data, host = "127.0.0.1", port } = flags;
  const tls = readTls(flags);
  const owner = readOwner(flags.owner);
  const url =
    flags.database ?? (data === undefined ? process.env.PIDEX_HUB_DATABASE || undefined : undefined);
  // Registered first: a hub that is stopped while it opens the database closes it.
  await runUntilSignal(["SIGINT", "SIGTERM"], async (signal) => {
    const database = await openHubDatabase({ url, folder: data });
    try {
      const [{ serveHub }, { IngestThreads }] = await Promise.all([
        import("../hub/serve.ts"),
        import("../hub/ingest-threads.ts"),
      ]);
      const log = (line: string) => io.err(`${toSafe(line)}\n`);
      const { pool, kind } = database;
      // PGlite has a single connection, which is of this thread.
      const ingest =
        url === undefined
          ? undefined
          : new IngestThreads(() => threadHost<IngestService>("ingest", { url }, INGEST_LIMITS));
      const running = await serveHub({
        ...{ pool, database: kind, host, port, tls, log },
        ...(ingest && { ingest }),
      });
      try {
        if (!tls && !LOOPBACK.test(host)) printNotice(io, NO_TLS);
        await io.out(`${running.url}\n`);
        const invitation = await inviteFirstOwner(pool, owner);
        if (invitation !== undefined) await printInvitation(io, running.url, invitation);
        await waitForAbort(signal);
      } finally {
        await running.close();
        await ingest?.close();
      }
    } finally {
      await database.close();
    }
  });
}

const NO_TLS =
  "tokens and sessions are sent unencrypted; pass --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS";

async function printInvitation(io: Io, url: string, invitation: string): Promise<void> {
  const address = url.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, `//${hostname()}`);
  io.err(
    `${io.style("dim", "The hub has no members yet. To become its first owner, run this on your machine:")}\n`,
  );
  await io.out(`pidex hub join ${address} ${invitation}\n`);
}

function readTls({ tlsCert, tlsKey }: Flags<"hub">): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new PidexError("BAD_OPTION", "--tls-cert and --tls-key belong together", "Pass both, or neither.");
  }
  return { cert: readPem(tlsCert), key: readPem(tlsKey) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const hint = "Check the path and its permissions.";
    throw new PidexError("FILE_UNREADABLE", `cannot read ${path}: ${toMessage(cause)}`, hint, { cause });
  }
}

const PERSON_NAME = inviteRequest.shape.name;

function readOwner(name: string | undefined): string {
  if (name === undefined) return PERSON_NAME.safeParse(getUserName()).data ?? "owner";
  if (PERSON_NAME.safeParse(name).success) return name;
  const hint = "Names have up to 63 letters, digits, spaces and . _ -.";
  throw new PidexError("BAD_OPTION", `--owner: ${JSON.stringify(name)} is not a name`, hint);
}

function getUserName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined; // the uid has no user entry, as in some containers
  }
}
