/** The MCP server for one client, over standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { waitForAbort } from "../actions/wait-for-abort.ts";
import type { AgentIndexOptions } from "../agents/agent-index.ts";
import { LazyIndex } from "./lazy-index.ts";
import { createServer } from "./server.ts";

/**
 * Serves until the client disconnects or the signal aborts. Standard output carries only the protocol; notices for the user go
 * to `onNotice`.
 */
export async function serveStdioClient(
  options: AgentIndexOptions & { onNotice: (message: string) => void; signal: AbortSignal },
): Promise<void> {
  const { onNotice, signal } = options;
  const opened = new LazyIndex(options);
  const disconnected = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve);
    process.stdout.on("error", () => resolve()); // the client has disconnected
    void waitForAbort(signal).then(resolve);
  });
  const serving = serveStdio(() => createServer(opened), { onerror: (error) => onNotice(error.message) });
  await disconnected;
  await serving.close();
  await opened.close();
}
