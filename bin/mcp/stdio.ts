/** The MCP server for one client, over standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { aborted } from "../actions/aborted.ts";
import type { AgentIndexOptions } from "../agents/agent-index.ts";
import { Opened } from "./opened.ts";
import { makeServer } from "./server.ts";

/**
 * Serves until the client disconnects or the signal aborts. Standard output carries only the protocol; notices for the user go
 * to `onNotice`.
 */
export async function serveOverStdio(
  options: AgentIndexOptions & { onNotice: (message: string) => void; signal: AbortSignal },
): Promise<void> {
  const { onNotice, signal } = options;
  const opened = new Opened(options);
  const disconnected = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve);
    process.stdout.on("error", () => resolve()); // the client has disconnected
    void aborted(signal).then(resolve);
  });
  const serving = serveStdio(() => makeServer(opened), { onerror: (error) => onNotice(error.message) });
  await disconnected;
  await serving.close();
  await opened.close();
}
