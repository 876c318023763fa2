import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { WorkingRepository } from "../../query/git/working-repository.ts";
import { agentIndex } from "./agent-index.ts";

const KEY = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"}`;

/** A committed file of which a session wrote some lines, and an agent index with the session. */
async function blamed(added: readonly string[]) {
  const repository = new WorkingRepository();
  repository.write("tax.js", ["export const rate = 0.19;"]);
  repository.commit("Start");
  const by = session({ id: "till", cwd: repository.path, timestamp: repository.tick() });
  by.user(`Add gross prices. The key is ${KEY}.`);
  const lines = ["export const rate = 0.19;", ...added];
  by.tool("edit", { path: "tax.js", oldText: lines[0], newText: lines.join("\n") }, "Done.", {
    timestamp: repository.tick(),
  });
  repository.write("tax.js", lines);
  repository.commit("Add gross prices");
  const { agents, paths } = await agentIndex([by]);
  return { agents, path: paths[0], file: `${repository.path}/tax.js` };
}

test("blame has a citation, the masked prompt and the confidence of each range of lines", async () => {
  const { agents, path, file } = await blamed(["", "export const gross = (net) => net * (1 + rate);"]);
  const { text, data } = await agents.request("blame", { file });
  expect(data.ranges).toMatchObject([
    { from: 1, to: 1 },
    { from: 2, to: 3, session: path, entryLine: 3, confidence: "certain" },
  ]);
  expect(data.sessions.map(({ id }) => id)).toEqual(["till"]);
  expect(text).toContain("line 1: no known session, commit ");
  expect(text).toContain(`lines 2-3: ${path}:3#`);
  expect(text).toMatch(/^> Add gross prices\. The key is /m);
  expect(text + JSON.stringify(data)).not.toContain(KEY);
});

test("what does not fit the budget follows with from", async () => {
  const { agents, file } = await blamed(
    Array.from({ length: 9 }, (_, n) => `export const value${n} = ${n};`),
  );
  const read = async (from?: number) => (await agents.request("blame", { file, from, max_tokens: 400 })).data;
  const first = await read();
  expect(first).toMatchObject({ ranges: [{ from: 1, to: 1 }], sessions: [], nextLine: 2 });
  const second = await read(first.nextLine);
  expect(second.ranges).toMatchObject([{ from: 2, to: 10 }]);
  expect(second.nextLine).toBeUndefined();
});

test("a file outside git is an error", async () => {
  const { agents, path = "" } = await blamed(["x"]);
  await expect(agents.request("blame", { file: path })).rejects.toMatchObject({ code: "NOT_A_REPOSITORY" });
});
