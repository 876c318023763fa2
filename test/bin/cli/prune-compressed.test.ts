/** Other commands on compressed sessions, and options of `pidex prune`. */
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { createWorkspace, shop, snapshotFolder } from "./metadata-workspace.ts";

const MESSAGE =
  '{"type":"message","id":"late","parentId":null,"message":{"role":"user","content":"zebra"}}\n';

/** A workspace with one compressed session. */
async function createCompressed() {
  const workspace = createWorkspace();
  const path = workspace.put(shop());
  const bytes = readFileSync(path);
  expect((await workspace.run(["prune", "shop", "--compress", "--yes"])).exit).toBe(0);
  return { ...workspace, path, bytes, folder: dirname(path) };
}

test("a compressed session goes to the trash as it is, and comes back compressed by its id or either path", async () => {
  const { run, json, path, bytes, trash, folder } = await createCompressed();
  for (const word of ["shop", path, `${path}.zst`]) {
    expect((await run(["prune", "shop", "--trash", "--yes"])).exit).toBe(0);
    expect([readdirSync(folder), readdirSync(join(trash, "files"))]).toEqual([[], [`${basename(path)}.zst`]]);
    expect((await json("list")).total).toBe(0);
    expect((await json("trash")).trashed).toMatchObject([{ sessionId: "shop", firstMessage: "hello" }]);
    const restored = await run(["restore", word]);
    expect([word, restored.exit, restored.err]).toEqual([word, 0, ""]);
    expect(readdirSync(folder)).toEqual([`${basename(path)}.zst`]);
    expect((await json("search", "bye")).sessions).toHaveLength(1);
  }
  expect((await run(["restore", "shop"])).exit).toBe(0);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("a session in the trash does not return beside another one with its path, compressed or not", async () => {
  const { run, path, bytes, folder } = await createCompressed();
  await run(["delete", "shop", "--yes"]);
  const other = Buffer.from(bytes.toString().replaceAll("hello", "hullo"));
  writeFileSync(path, other);
  const { exit, err } = await run(["restore", `${path}.zst`]);
  expect([exit, err]).toEqual([1, expect.stringContaining("file already exists")]);
  expect(readdirSync(folder)).toEqual([basename(path)]);
  expect(readFileSync(path).equals(other)).toBe(true);
});

test("a plain session in the trash does not return beside a compressed one with its path", async () => {
  const { put, run, json } = createWorkspace();
  const path = put(shop());
  await run(["delete", "shop", "--yes"]);
  const [{ trashPath }] = (await json("trash")).trashed;
  put(shop());
  await run(["prune", "shop", "--compress", "--yes"]);
  expect(await run(["restore", trashPath])).toMatchObject({ exit: 1 });
  expect([readdirSync(dirname(path)), existsSync(trashPath)]).toEqual([[`${basename(path)}.zst`], true]);
});

test("restore --dry-run of a compressed session changes nothing", async () => {
  const { run, json, path, folder } = await createCompressed();
  const before = snapshotFolder(folder);
  const { dryRun, restored } = await json("restore", "shop", "--dry-run");
  expect([dryRun, restored]).toEqual([true, [{ sessionId: "shop", path, along: [] }]]);
  expect((await run(["restore", `${path}.zst`, "--dry-run"], { columns: 80 })).out).toContain(
    "Would restore",
  );
  expect(snapshotFolder(folder)).toEqual(before);
});

test("permanent deletion of a compressed session that was continued leaves nothing", async () => {
  const { run, json, path, folder, trash } = await createCompressed();
  appendFileSync(path, MESSAGE);
  expect((await run(["delete", "shop", "--permanent", "--yes"])).exit).toBe(0);
  expect([readdirSync(folder), existsSync(join(trash, "files")), (await json("list")).total]).toEqual([
    [],
    false,
    0,
  ]);
});

test("a compressed copy is a duplicate of a plain one, and the other way round", async () => {
  const { json, path, bytes, root, put, run } = await createCompressed();
  const copy = join(root, "copies", basename(path));
  put(shop(), copy);
  expect(readFileSync(copy).equals(bytes)).toBe(true);
  const duplicates = async () =>
    (await json("prune", "--duplicates")).sessions.map((each: { path: string; duplicateOf: string }) => [
      each.path,
      each.duplicateOf,
    ]);
  const [first] = await duplicates();
  expect(first.toSorted()).toEqual([path, copy].toSorted());
  // A longer one is none.
  appendFileSync(path, MESSAGE);
  expect((await run(["restore", path])).exit).toBe(0);
  expect(await duplicates()).toEqual([[copy, path]]);
  await run(["prune", copy, "--compress", "--yes"]);
  expect(await duplicates()).toEqual([[copy, path]]);
});

test("--contents counts images and large outputs, the same once they are compressed", async () => {
  const { put, json, run } = createWorkspace();
  const image = "iVBORw0K".repeat(4000);
  const output = "line of output\n".repeat(2000);
  const draft = session({ id: "large", cwd: "/home/ada/shop" })
    .user([{ type: "image", data: image, mimeType: "image/png" }])
    .toolResult("call-1", "bash", output);
  put(draft);
  const contents = async () => (await json("prune", "--contents")).sessions[0].contents;
  const measured = await contents();
  expect(measured.images).toBe(image.length);
  expect(measured.toolOutputs).toBeGreaterThanOrEqual(output.length);
  expect(measured.toolOutputs).toBeLessThan(output.length * 1.2);
  await run(["prune", "large", "--compress", "--yes"]);
  expect(await contents()).toEqual(measured);
});

test.each([
  [["--older-than", "soon"], '"soon" is not an age'],
  [["--larger-than", "10 apples"], '"10 apples" is not a size'],
  [["--larger-than", "-1"], '"-1" is not a size'],
  [["--subagents", "some"], "--subagents"],
  [["--compress", "--trash", "--older-than", "1d"], "--compress"],
  [["--configured", "--compress"], "--co"],
  [["--configured", "--trash"], "--configured"],
  [["--here", "--cwd", "/x"], "--here"],
  [["--compress", "--yes"], "refusing to compress all sessions"],
  [["--trash", "--yes"], "refusing to move all sessions to the trash"],
  [["--older-than", "1d", "--trash"], "without confirmation"],
])("prune %j is a usage error", async (argv, message) => {
  const { put, run, root } = createWorkspace();
  put(shop());
  const before = snapshotFolder(root);
  const { exit, err } = await run(["prune", ...argv]);
  expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  expect(snapshotFolder(root)).toEqual(before);
});

test("a session that does not exist is an error, and no other session is changed", async () => {
  const { put, run, root } = createWorkspace();
  put(shop());
  const before = snapshotFolder(root);
  const { exit, err } = await run(["prune", "shop", "nothing", "--compress", "--yes"]);
  expect([exit, err]).toEqual([3, expect.stringContaining("nothing")]);
  expect(snapshotFolder(root)).toEqual(before);
});

test.each(["--compress", "--trash"])(
  "a session that an agent goes on with after the review is left as it is by %s, and the others go on",
  async (action) => {
    const { put, run, json } = createWorkspace();
    const paths = ["a", "b"].map((id) => put(session({ id, cwd: "/home/ada/shop" }).user(`hello ${id}`)));
    const [written, other] = paths as [string, string];
    const before = readFileSync(written, "utf8");
    const answer = () => {
      appendFileSync(written, MESSAGE);
      return "y";
    };
    const { exit, err } = await run(["prune", "--older-than", "1d", action], { columns: 80, answer });
    expect([exit, err]).toEqual([0, expect.stringContaining("changed after it was selected")]);
    expect(readFileSync(written, "utf8")).toBe(before + MESSAGE);
    expect(existsSync(other)).toBe(false);
    expect((await json("search", "zebra")).sessions).toHaveLength(1);
  },
);

test("what an agent appends after a compressed session was deleted belongs to it again once it is restored", async () => {
  const { run, path, bytes } = await createCompressed();
  await run(["delete", "shop", "--yes"]);
  appendFileSync(path, MESSAGE);
  expect((await run(["restore", `${path}.zst`])).exit).toBe(0);
  expect((await run(["restore", "shop"])).exit).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(bytes.toString() + MESSAGE);
});

test("verify and doctor find nothing wrong with compressed sessions, continued or not", async () => {
  const { run, path, json } = await createCompressed();
  expect((await run(["verify"])).exit).toBe(0);
  const codes = async () =>
    (await json("doctor")).diagnosis.findings.map(({ code }: { code: string }) => code);
  const before = await codes();
  appendFileSync(path, MESSAGE);
  expect(await run(["verify"])).toMatchObject({ exit: 0, out: "" });
  await run(["index"]);
  expect(await codes()).toEqual(before);
  const zst = `${path}.zst`;
  const bytes = readFileSync(zst);
  bytes[20] = (bytes[20] as number) ^ 0xff;
  writeFileSync(zst, bytes);
  const { exit, err, out } = await run(["verify"]);
  expect([exit, err + out]).toEqual([1, expect.stringContaining(basename(path))]);
  expect(statSync(zst).size).toBe(bytes.length);
});
