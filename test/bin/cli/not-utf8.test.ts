/** Sessions whose paths are bytes that are not UTF-8, from the disk to what is printed. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { encodePath } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidexAt } from "../cli.ts";

const at = (root: string, name: number | string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/d`), typeof name === "string" ? Buffer.from(name) : Buffer.of(name)]);
const fileIn = (folder: Buffer): Buffer => Buffer.concat([folder, Buffer.from("/s.jsonl")]);

/** Folders whose names are all `d` and U+FFFD when they are read as UTF-8, with a session in each. */
function world() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  mkdirSync(root);
  for (const [id, name] of Object.entries({ ff: 0xff, fe: 0xfe, utf8: "\ufffd" })) {
    mkdirSync(at(root, name));
    writeFileSync(fileIn(at(root, name)), session({ id }).user(`words of ${id}`).assistant("Yes.").text());
  }
  const ask = pidexAt(root, folder);
  const json = async (...argv: string[]) => JSON.parse((await ask([...argv, "--json"])).out);
  const ids = async () => (await json("list", "--all")).sessions.map(({ id }: { id: string }) => id).sort();
  return { folder, root, ask, json, ids };
}

describe.skipIf(process.platform !== "linux")("a session in a folder whose name is not UTF-8", () => {
  test("is listed, found, shown and forgotten apart from those beside it", async () => {
    const { root, json, ids, ask } = world();
    expect(await ids()).toEqual(["fe", "ff", "utf8"]);
    const { sessions } = await json("search", "words");
    expect(sessions).toHaveLength(3);
    expect((await ask(["show", "ff"])).out).toContain("words of ff");
    const { out } = await ask(["search", "--substring", "words of fe"]);
    expect(out).toContain("d\\xfe/s.jsonl");
    rmSync(at(root, 0xff), { recursive: true });
    expect(await ids()).toEqual(["fe", "utf8"]);
    rmSync(at(root, "\ufffd"), { recursive: true });
    expect(await ids()).toEqual(["fe"]);
  });

  test("has a path in JSON that leads to its bytes, and is printed with them as signs", async () => {
    const { root, json, ask } = world();
    const { sessions } = await json("list", "--all");
    const { path } = sessions.find(({ id }: { id: string }) => id === "ff");
    expect(encodePath(path)).toEqual(fileIn(at(root, 0xff)));
    expect((await json("show", path)).session.id).toBe("ff");
    expect((await ask(["list", "--all"])).out).toContain(`${root}/d\\xff/s.jsonl`);
  });

  test("is organized and deleted", async () => {
    const { root, ask, ids } = world();
    const data = temporaryFolder();
    const before = process.env.XDG_DATA_HOME;
    process.env.XDG_DATA_HOME = data;
    onTestFinished(() => {
      if (before === undefined) delete process.env.XDG_DATA_HOME;
      else process.env.XDG_DATA_HOME = before;
    });
    expect(await ask(["pin", "ff"])).toMatchObject({ exit: 0 });
    expect(readFileSync(fileIn(at(root, 0xff)), "utf8")).toContain('"pinned":true');
    expect(await ask(["verify"])).toMatchObject({ exit: 0 });
    const deleted = await ask(["delete", "ff", "--yes"]);
    expect(deleted.exit).toBe(0);
    expect(existsSync(fileIn(at(root, 0xff)))).toBe(false);
    expect(readFileSync(join(data, "Trash/info/s.jsonl.trashinfo"), "utf8")).toContain("/d%FF/s.jsonl");
    expect(await ids()).toEqual(["fe", "utf8"]);
    expect(await ask(["delete", "fe", "--yes", "--permanent"])).toMatchObject({ exit: 0 });
    expect(await ids()).toEqual(["utf8"]);
  });

  test("cannot be resumed, and it is said why", async () => {
    const { ask } = world();
    expect((await ask(["resume", "ff"])).out).toContain("d\\0377/s.jsonl')");
    const { exit, err } = await ask(["resume", "ff", "--run"]);
    expect(exit).toBe(1);
    expect(err).toContain("the path is not UTF-8");
    expect(err).toContain("Rename");
  });
});
