/** The MCP server as pi 1.5.2 starts it, which doesn't send it the current session. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { hasPeers } from "../../peer/peers.ts";
import { temporaryFolder } from "../../temporary.ts";
import { startPi } from "../pi/pi-process.ts";

test.skipIf(!hasPeers).each([
  ["called directly", "direct", "mcp__pidex__search_sessions", { query: "quartz fuse" }],
  [
    "called from a script",
    "codemode",
    "codemode",
    { code: 'text(JSON.stringify(await tools.mcp__pidex__search_sessions({ query: "quartz fuse" })))' },
  ],
])("in pi 1.5.2 the current session is excluded: %s", async (_, exposure, calls, given) => {
  const folder = temporaryFolder();
  const cwd = join(folder, "lamps");
  const roots = join(folder, "agent", "sessions");
  session({ cwd, id: "lamps" })
    .user("Why is the lighthouse dark?")
    .assistant("The quartz fuse had blown; I replaced it.")
    .writeUnder(roots);
  const env = { PIDEX_DB: join(folder, "index.db"), PIDEX_ROOTS: roots, PI_SESSION_ID: "started-this-pi" };
  const server = { command: process.execPath, args: [BUILT_PIDEX, "mcp"], exposure };
  const turns = [{ calls, with: given }, { says: "It was the fuse." }];
  const pi = await startPi("1.5.2", { folder, cwd, env, turns, mcp: { mcpServers: { pidex: server } } });
  pi.send({ type: "prompt", message: "Did the quartz fuse blow before?" });
  await pi.line("the turn ends", ({ type }) => type === "agent_end");
  const result = pi.requests.at(-1)?.messages.at(-1);
  const text = JSON.stringify(result?.content);
  expect(text).toContain("> The quartz fuse had blown; I replaced it.");
  expect(text).not.toContain("Did the quartz fuse blow before?");
});
