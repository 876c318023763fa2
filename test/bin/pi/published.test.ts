/** The extension in each supported version of pi, in pi's RPC mode. */
import { join } from "node:path";
import { test as base, beforeEach, describe, expect } from "vitest";
import { TOOL_PARAMETERS } from "../../../bin/pi/tool-parameters.ts";
import { session } from "../../../fixtures/builder.ts";
import { hasPeers, PEER_VERSIONS } from "../../peer/peers.ts";
import { temporaryFolder } from "../../temporary.ts";
import { startPi } from "./pi-process.ts";

let folder = "";
let cwd = "";
let env: Record<string, string> = {};

beforeEach((context) => {
  folder = temporaryFolder(context);
  cwd = join(folder, "lamps");
  session({ cwd })
    .user("Why is the lighthouse dark?")
    .assistant("The quartz fuse had blown; I replaced it.", { tokens: { input: 1000, output: 500 } })
    .write(join(folder, "sessions", "lamps.jsonl"));
  env = { PIDEX_DB: join(folder, "index.db"), PIDEX_ROOTS: join(folder, "sessions") };
});

describe.each(PEER_VERSIONS)("in pi %s", (version) => {
  const test = base.skipIf(!hasPeers);

  test("it starts without a warning and has its commands", async () => {
    const pi = await startPi(version, { folder, cwd, env });
    pi.send({ type: "get_commands", id: "commands" });
    const { data } = await pi.line("commands are listed", ({ id }) => id === "commands");
    const { commands } = data as { commands: { name: string; source: string }[] };
    const ours = commands.filter(({ source }) => source === "extension").map(({ name }) => name);
    expect(ours).toEqual(expect.arrayContaining(["recall", "handoff", "sessions", "spend"]));
    expect(pi.stderr()).toBe("");
  });

  test("the model is offered both tools, and its search returns results", async () => {
    const turns = [{ calls: "session_search", with: { query: "quartz fuse" } }, { says: "It was the fuse." }];
    const pi = await startPi(version, { folder, cwd, env, turns });
    pi.send({ type: "prompt", message: "Why was it dark back then?" });
    await pi.line("the turn ends", ({ type }) => type === "agent_end");
    const offered = new Map(
      pi.requests[0]?.tools?.map(({ function: { name, parameters } }) => [name, parameters]),
    );
    expect(offered.get("session_search")).toEqual(TOOL_PARAMETERS.search);
    expect(offered.get("session_read")).toEqual(TOOL_PARAMETERS.read);
    const result = pi.requests[1]?.messages.at(-1);
    expect(result?.role).toBe("tool");
    expect(JSON.stringify(result?.content)).toContain("> The quartz fuse had blown; I replaced it.");
    expect(pi.stderr()).toBe("");
  });

  test("/spend shows the cost", async () => {
    const pi = await startPi(version, { folder, cwd, env });
    pi.send({ type: "prompt", message: "/spend" });
    const { message } = await pi.line("the notification", ({ method }) => method === "notify");
    expect(message).toContain(`This project: $0.0105, 1,500 tokens, 1 model response (${cwd})`);
  });
});
