/** The server for one client, over this process's input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { aborted } from "../actions/aborted.ts";
import type { AgentIndexOptions } from "../agents/agent-index.ts";
import { Opened } from "./opened.ts";
import { makeServer } from "./server.ts";

/**
 * Serves until the client hangs up, or the signal comes. Nothing but the protocol goes to the output: what is to be said to
 * people goes to `onNotice`.
 */
export async function serveOverStdio(
  options: AgentIndexOptions & { onNotice: (message: string) => void; signal: AbortSignal },
): Promise<void> {
  const { onNotice, signal } = options;
  const opened = new Opened(options);
  const hungUp = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve);
    process.stdout.on("error", () => resolve()); // nobody reads any more
    void aborted(signal).then(resolve);
  });
  const serving = serveStdio(() => makeServer(opened), { onerror: (error) => onNotice(error.message) });
  await hungUp;
  await serving.close();
  await opened.close();
}
