import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { AgentIndex } from "../../../bin/agents/agent-index.ts";
import { session } from "../../../fixtures/builder.ts";
import { writeSignIn } from "../../../library/hub/sign-in.ts";
import { addFile, settleShelves } from "../../library/hub/hub-files.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { startHub } from "../hub/hubs.ts";

test.skipIf(!hasPostgres)("agents can ask a hub: search, list, read, tree, files and usage", async () => {
  const folder = temporaryFolder();
  await using hub = await startHub();
  const path = join(folder, "till.jsonl");
  session({ id: "till", cwd: "/home/ada/shop" })
    .user("Round the tax.")
    .tool("edit", { path: "src/tax.ts" }, "ok")
    .assistant("Rounded.")
    .write(path);
  await addFile(hub, hub.owner, path);
  await settleShelves(hub);
  const { token, machine, person } = hub.owner;
  writeSignIn({ url: hub.url, token, machine, person }, { PIDEX_CONFIG: folder });
  vi.stubEnv("PIDEX_CONFIG", folder);
  const agent = await AgentIndex.open({ hub: true });
  try {
    const onHub = `${machine}:${path}`;
    expect((await agent.request("search", { query: "tax" })).text).toContain(onHub);
    expect((await agent.request("list", {})).text).toContain("till");
    expect((await agent.request("read", { session: "till" })).text).toContain("Round the tax.");
    expect((await agent.request("read", { session: `${onHub}:2` })).text).toContain("Round the tax.");
    expect((await agent.request("usage", {})).text).toMatch(/\$0\.\d+/);
    await expect(agent.request("read", { session: "nosuch" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  } finally {
    await agent.close();
    vi.unstubAllEnvs();
  }
});
