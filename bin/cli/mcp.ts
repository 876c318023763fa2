import { PidexError } from "../../library/index.ts";
import { waitForAbort } from "../actions/wait-for-abort.ts";
import { readCurrentSession } from "../agents/current-session.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { assertRootsExist, EXIT, printNotice } from "./run.ts";

/** `pidex mcp`: runs the MCP server until the client disconnects; with `--http`, until Ctrl+C or SIGTERM. */
export async function run(
  io: Io,
  _: string[],
  { db, root: roots, http, port }: Flags<"mcp">,
): Promise<number> {
  if (roots) assertRootsExist(roots);
  if (port !== undefined && !http)
    throw new PidexError("BAD_OPTION", "--port requires --http", "Add --http, or remove --port.");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  const options = {
    db,
    roots,
    currentSession: readCurrentSession(process.env),
    onNotice: (text: string) => printNotice(io, text),
  };
  if (http) return serveOverHttp(io, options, { port, signal: stop.signal });
  if (io.ask)
    printNotice(io, "waiting for an MCP client on stdin; docs/agents.md explains how to set one up");
  const { serveStdioClient } = await import("../mcp/server.ts");
  await serveStdioClient({ ...options, signal: stop.signal });
  return EXIT.done;
}

async function serveOverHttp(
  io: Io,
  { currentSession: _, ...options }: Parameters<typeof import("../mcp/server.ts").createMcpHttpServer>[0],
  { port, signal }: { port: number | undefined; signal: AbortSignal },
): Promise<number> {
  const [{ serve }, { createMcpHttpServer: mcpOverHttp }] = await Promise.all([
    import("../web/serve.ts"),
    import("../mcp/server.ts"),
  ]);
  const mcp = mcpOverHttp(options);
  try {
    const key = process.env.PIDEX_TOKEN;
    const serving = await serve({
      ...options,
      ...(port !== undefined && { port }),
      mcp: mcp.fetch,
      ...(key && { key }),
    });
    try {
      await io.out(`${serving.url}mcp\nAuthorization: Bearer ${serving.key}\n`);
      await waitForAbort(signal);
    } finally {
      await serving.close();
    }
  } finally {
    await mcp.close();
  }
  return EXIT.done;
}
