/** Sessions with paths that are not UTF-8, in files and in output. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { encodePath } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidexAt } from "../cli.ts";

const folderAt = (root: string, name: number | string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/d`), typeof name === "string" ? Buffer.from(name) : Buffer.of(name)]);
const fileIn = (folder: Buffer): Buffer => Buffer.concat([folder, Buffer.from("/s.jsonl")]);

/** Creates folders with names that all decode to `d` and U+FFFD as UTF-8, each with a session. */
function createWorkspace() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  mkdirSync(root);
  for (const [id, name] of Object.entries({ ff: 0xff, fe: 0xfe, utf8: "\ufffd" })) {
    mkdirSync(folderAt(root, name));
    writeFileSync(
      fileIn(folderAt(root, name)),
      session({ id }).user(`words of ${id}`).assistant("Yes.").text(),
    );
  }
  const run = pidexAt(root, folder);
  const json = async (...argv: string[]) => JSON.parse((await run([...argv, "--json"])).out);
  const ids = async () => (await json("list", "--all")).sessions.map(({ id }: { id: string }) => id).sort();
  return { folder, root, run, json, ids };
}

describe.skipIf(process.platform !== "linux")("a session in a folder with a name that is not UTF-8", () => {
  test("is listed, found, shown and removed separately from similarly named ones", async () => {
    const { root, json, ids, run } = createWorkspace();
    expect(await ids()).toEqual(["fe", "ff", "utf8"]);
    const { sessions } = await json("search", "words");
    expect(sessions).toHaveLength(3);
    expect((await run(["show", "ff"])).out).toContain("words of ff");
    const { out } = await run(["search", "--substring", "words of fe"]);
    expect(out).toContain("d\\xfe/s.jsonl");
    rmSync(folderAt(root, 0xff), { recursive: true });
    expect(await ids()).toEqual(["fe", "utf8"]);
    rmSync(folderAt(root, "\ufffd"), { recursive: true });
    expect(await ids()).toEqual(["fe"]);
  });

  test("has a path in JSON that can be converted to its bytes, and is printed with escapes", async () => {
    const { root, json, run } = createWorkspace();
    const { sessions } = await json("list", "--all");
    const { path } = sessions.find(({ id }: { id: string }) => id === "ff");
    expect(encodePath(path)).toEqual(fileIn(folderAt(root, 0xff)));
    expect((await json("show", path)).session.id).toBe("ff");
    expect((await run(["list", "--all"])).out).toContain(`${root}/d\\xff/s.jsonl`);
  });

  test("can be pinned and deleted", async () => {
    const { root, run, ids } = createWorkspace();
    const data = temporaryFolder();
    const before = process.env.XDG_DATA_HOME;
    process.env.XDG_DATA_HOME = data;
    onTestFinished(() => {
      if (before === undefined) delete process.env.XDG_DATA_HOME;
      else process.env.XDG_DATA_HOME = before;
    });
    expect(await run(["pin", "ff"])).toMatchObject({ exit: 0 });
    expect(readFileSync(fileIn(folderAt(root, 0xff)), "utf8")).toContain('"pinned":true');
    expect(await run(["verify"])).toMatchObject({ exit: 0 });
    const deleted = await run(["delete", "ff", "--yes"]);
    expect(deleted.exit).toBe(0);
    expect(existsSync(fileIn(folderAt(root, 0xff)))).toBe(false);
    expect(readFileSync(join(data, "Trash/info/s.jsonl.trashinfo"), "utf8")).toContain("/d%FF/s.jsonl");
    expect(await ids()).toEqual(["fe", "utf8"]);
    expect(await run(["delete", "fe", "--yes", "--permanent"])).toMatchObject({ exit: 0 });
    expect(await ids()).toEqual(["utf8"]);
  });

  test("cannot be resumed, and the error says why", async () => {
    const { run } = createWorkspace();
    expect((await run(["resume", "ff"])).out).toContain("d\\0377/s.jsonl')");
    const { exit, err } = await run(["resume", "ff", "--run"]);
    expect(exit).toBe(1);
    expect(err).toContain("the path is not UTF-8");
    expect(err).toContain("Rename");
  });
});
