import { PidexError } from "../../library/index.ts";
import type { IndexLocation } from "../actions/index-location.ts";
import { waitForAbort } from "../actions/wait-for-abort.ts";
import { readCurrentSession } from "../agents/current-session.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { assertRootsExist, printNotice, runUntilSignal, usesHub } from "./run.ts";

/** `pidex mcp`: runs the MCP server until the client disconnects; with `--http`, until Ctrl+C or SIGTERM. */
export async function run(io: Io, _: string[], flags: Flags<"mcp">): Promise<void> {
  const { db, root: roots, http, port } = flags;
  if (roots) assertRootsExist(roots);
  if (port !== undefined && !http)
    throw new PidexError("BAD_OPTION", "--port requires --http", "Add --http, or remove --port.");
  const hub = usesHub(flags);
  if (hub && http) {
    const hint = "Remove --http, or remove --hub (or unset PIDEX_HUB).";
    throw new PidexError("BAD_OPTION", "--http serves only the sessions on this machine", hint);
  }
  const options = { db, roots, onNotice: (text: string) => printNotice(io, text) };
  await runUntilSignal(["SIGINT", "SIGTERM", "SIGHUP"], async (signal) => {
    if (http) return serveOverHttp(io, { ...options, port }, signal);
    if (io.ask)
      printNotice(io, "waiting for an MCP client on stdin; docs/agents.md explains how to set one up");
    const { serveStdioClient } = await import("../mcp/server.ts");
    await serveStdioClient({ ...options, hub, currentSession: readCurrentSession(process.env), signal });
  });
}

async function serveOverHttp(
  io: Io,
  { port, ...options }: IndexLocation & { port: number | undefined; onNotice: (text: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { serve } = await import("../web/serve.ts");
  const { createMcpHttpServer } = await import("../mcp/server.ts");
  const mcp = createMcpHttpServer(options);
  try {
    const key = process.env.PIDEX_TOKEN || undefined;
    const serving = await serve({ ...options, port, mcp: mcp.fetch, key });
    try {
      await io.out(`${serving.url}mcp\nAuthorization: Bearer ${serving.key}\n`);
      await waitForAbort(signal);
    } finally {
      await serving.close();
    }
  } finally {
    await mcp.close();
  }
}
