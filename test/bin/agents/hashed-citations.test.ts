import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseReference } from "../../../bin/agents/citations.ts";
import { session } from "../../../fixtures/builder.ts";
import { hashLine } from "../../../src/session/line-hash.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidexAt } from "../cli.ts";
import { agentIndex } from "./agent-index.ts";

/** The citation of a line, with the hash of its bytes. */
const cite = (path: string, line: number, entry = "") =>
  `${path}:${line}${entry}~${hashLine(Buffer.from(readFileSync(path, "utf8").split("\n")[line - 1] as string))}`;

/** Replaces a text of the file by another one of the same length, or not. */
const rewrite = (path: string, from: string, to: string) =>
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));

const till = () =>
  session({ id: "till" })
    .user("The till is slow.", { id: "ab12cd34" })
    .assistant("Port 4117 was taken.", { id: "ab12cd35" })
    .user("Thanks.");

test("a hash is five letters, and depends on every byte of the line", () => {
  expect(hashLine(Buffer.from('{"type":"session"}'))).toMatch(/^[b-df-hj-np-tv-xz]{5}$/);
  expect(hashLine(Buffer.from("a"))).toBe(hashLine(Buffer.from("a")));
  expect(hashLine(Buffer.from("a"))).not.toBe(hashLine(Buffer.from("a ")));
});

test("citations are parsed with and without entry and hash", () => {
  expect(parseReference("/a.jsonl:120#ab12~kqzvh")).toEqual({
    session: "/a.jsonl",
    line: 120,
    entry: "ab12",
    hash: "kqzvh",
  });
  expect(parseReference("/a.jsonl:120~kqzvh")).toEqual({ session: "/a.jsonl", line: 120, hash: "kqzvh" });
  expect(parseReference("/a.jsonl:120#ab12")).toEqual({ session: "/a.jsonl", line: 120, entry: "ab12" });
  expect(parseReference("/a.jsonl:120")).toEqual({ session: "/a.jsonl", line: 120 });
  expect(parseReference("/a~kqzvh/b.jsonl")).toEqual({ session: "/a~kqzvh/b.jsonl" });
  expect(parseReference("/a.jsonl:120#odd~1")).toEqual({ session: "/a.jsonl", line: 120, entry: "odd~1" });
});

describe("read_session", () => {
  test("reads around a citation with a hash, and still does when the file has grown", async () => {
    const { agents, paths } = await agentIndex([till()]);
    const [path = ""] = paths;
    const cited = cite(path, 3, "#ab12cd35");
    expect((await agents.request("read", { session: cited, before: 0, after: 0 })).text).toContain(
      "Port 4117 was taken.",
    );
    appendFileSync(
      path,
      `${readFileSync(path, "utf8")
        .split("\n")[3]
        ?.replace(/"id":"\w+"/, '"id":"ffff0000"')}\n`,
    );
    expect((await agents.request("read", { session: cited, before: 0, after: 0 })).text).toContain(
      "Port 4117 was taken.",
    );
  });

  test.each([
    ["of the same length", "4117", "4118"],
    ["of another length", "4117", "41170"],
  ])("refuses a citation whose line was replaced by one %s", async (_, from, to) => {
    const { agents, paths } = await agentIndex([till()]);
    const [path = ""] = paths;
    const [changed, unchanged] = [cite(path, 3), cite(path, 2)];
    await agents.request("read", { session: changed });
    rewrite(path, from, to);
    const refused = agents.request("read", { session: changed });
    await expect(refused).rejects.toMatchObject({
      code: "CITATION_CHANGED",
      message: expect.stringContaining(`line 3 of ${path} is not the cited one`),
      hint: expect.stringContaining(`${path}:3, without the hash`),
    });
    expect((await agents.request("read", { session: unchanged })).text).toContain("The till is slow.");
    expect((await agents.request("read", { session: `${path}:3#ab12cd35` })).text).toContain(
      `Port ${to} was taken.`,
    );
  });

  test("refuses a citation of a line that is gone", async () => {
    const { agents, paths } = await agentIndex([till()]);
    const [path = ""] = paths;
    const cited = cite(path, 4);
    writeFileSync(path, `${readFileSync(path, "utf8").split("\n").slice(0, 3).join("\n")}\n`);
    await expect(agents.request("read", { session: cited })).rejects.toMatchObject({
      code: "CITATION_CHANGED",
      message: expect.stringContaining("has no entry"),
    });
  });

  test("refuses a citation without an entry whose line moved", async () => {
    const { agents, paths } = await agentIndex([till()]);
    const [path = ""] = paths;
    const cited = cite(path, 3);
    const [header, ...rest] = readFileSync(path, "utf8").split("\n");
    writeFileSync(
      path,
      [header, '{"type":"model_change","id":"00000001","provider":"x","modelId":"y"}', ...rest].join("\n"),
    );
    await expect(agents.request("read", { session: cited })).rejects.toMatchObject({
      code: "CITATION_CHANGED",
    });
  });
});

describe("pidex show", () => {
  let path = "";
  let run: ReturnType<typeof pidexAt>;
  beforeEach((context) => {
    const folder = temporaryFolder(context);
    path = till().writeUnder(join(folder, "root"));
    run = pidexAt(join(folder, "root"), folder);
  });

  test("a brief of fewer than 400 tokens is refused", async () => {
    const { exit, err } = await run(["handoff", path, "--tokens", "399"]);
    expect([exit, err]).toEqual([2, expect.stringContaining("Pass at least 400.")]);
    expect((await run(["handoff", path, "--tokens", "400"])).exit).toBe(0);
  });

  test("prints the entry of a citation with a hash", async () => {
    const { exit, out } = await run(["show", cite(path, 3)]);
    expect([exit, out]).toEqual([0, expect.stringContaining("Port 4117 was taken.")]);
  });

  test("refuses one whose line was changed, and says what to do", async () => {
    const cited = cite(path, 3, "#ab12cd35");
    rewrite(path, "4117", "4118");
    const { exit, out, err } = await run(["show", cited]);
    expect([exit, out]).toEqual([3, ""]);
    expect(err.replace(/\s+/g, " ")).toContain("is not the cited one");
    expect(err.replace(/\s+/g, " ")).toContain("without the hash");
    expect((await run(["show", cited.replace(/~.*/, "")])).out).toContain("Port 4118 was taken.");
  });
});

test("a hash covers the line without its line end, so that a last line may get one later", async () => {
  const { agents, paths } = await agentIndex([till()]);
  const [path = ""] = paths;
  await agents.sync();
  const { index } = agents;
  const [located] = await Array.fromAsync(index.entries(path, { branch: { lines: [4] }, hash: true }));
  expect(located?.hash).toBe(cite(path, 4).slice(-5));
  const [plain] = await Array.fromAsync(index.entries(path, { branch: { lines: [4] } }));
  expect(plain).not.toHaveProperty("hash");
});
