/** The sample sessions that the questions are about, and an MCP client on them. */
import { join } from "node:path";
import { writeDemo } from "../../bin/demo/write-demo.ts";
import { openIndex } from "../../library/index.ts";
import { CountingClient } from "./counting-client.ts";

/** Writes the sample sessions, always the same, and returns their root. */
function writeDemoRoot(folder: string, sessions = 300): string {
  return writeDemo(join(folder, "demo"), { sessions, now: new Date("2026-11-20T16:00:00.000Z"), seed: 1 })
    .root;
}

/**
 * Writes the sample sessions, indexes them and starts a client.
 *
 * @param folder the sessions are written to `demo` in it
 */
export async function startDemoClient(folder: string): Promise<CountingClient> {
  const [root, db] = [writeDemoRoot(folder), join(folder, "index.db")];
  {
    // On a slow machine, the first answers would be about a part of the sessions.
    await using index = await openIndex({ db, roots: [root] });
    await index.sync();
  }
  return CountingClient.start({ root, db });
}
