import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { session } from "../fixtures/builder.ts";
import { openIndex, SessionManager } from "../library/index.ts";
import { moveToTrash } from "../src/session/trash.ts";
import { temporaryFolder } from "./temporary.ts";

/** Sets the umask to 0 until the end of the test. */
function withUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

/** The modes of all files and folders below a folder. */
function modesBelow(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    names.flatMap((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false }); // some disappear again immediately
      return stat ? [[name, `${stat.isDirectory() ? "folder " : ""}${(stat.mode & 0o777).toString(8)}`]] : [];
    }),
  );
}

/** Files and folders that other users can access. */
const open = (modes: Map<string, string>) =>
  [...modes].filter(([, mode]) => mode !== "600" && mode !== "folder 700");

it("all files of the index are private to the owner, whatever the umask", async () => {
  withUmask(0);
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const path = session().user("hello").writeUnder(root);
  const cache = join(folder, "cache");
  const db = join(cache, "pidex", "index.db");
  const seen = new Map<string, string>();
  const look = () => {
    for (const [name, mode] of modesBelow(cache)) seen.set(`${name} ${mode}`, mode);
  };

  const index = await openIndex({ db, roots: [root] });
  onTestFinished(() => index.close());
  look();
  await index.sync({ onProgress: look });
  look(); // with its WAL, while it is open
  await index.rebuild({ onProgress: look });
  look();
  await index.search("hello");
  await index.close();

  writeFileSync(db, "no database any more"); // keeps its mode
  const mended = await openIndex({ db, roots: [root] });
  await mended.sync({ onProgress: look });
  look();
  await mended.close();
  look();

  const names = [...seen.keys()].join("\n");
  for (const name of [
    "index.db ",
    "index.db-wal",
    "index.db-shm",
    "index.db.turn",
    "index.db.rebuild",
    "index.db.broken-",
  ]) {
    expect(names).toContain(name);
  }
  expect(open(seen)).toEqual([]);
  expect(statSync(cache).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o666); // no file was changed
});

it("files that pidex creates in the trash are private to the owner", async () => {
  withUmask(0);
  const folder = temporaryFolder();
  const path = session().user("hello").write(join(folder, "a.jsonl"));
  const environment = { HOME: join(folder, "home"), XDG_DATA_HOME: join(folder, "data"), PATH: "/nowhere" };
  await moveToTrash(path, { environment, platform: "linux" });
  const modes = modesBelow(join(folder, "data"));
  expect(modes.get("Trash/info/a.jsonl.trashinfo")).toBe("600");
  expect(modes.get("Trash/files/a.jsonl")).toBe("666"); // the session, moved unchanged
  expect([...modes.values()].filter((mode) => mode.startsWith("folder"))).toEqual(
    Array.from({ length: 3 }, () => "folder 700"),
  );
});

it("session files get modes as in pi: from the umask, or unchanged when rewritten", () => {
  withUmask(0o027);
  const folder = temporaryFolder();
  const manager = SessionManager.create("/home/ada/shop", folder);
  manager.appendMessage({ role: "user", content: "hello", timestamp: 1 });
  const path = manager.getSessionFile() as string;
  expect(statSync(path).mode & 0o777).toBe(0o640);
  const old = session({ version: 1 }).user("hello").write(join(folder, "old.jsonl"));
  const mode = statSync(old).mode;
  SessionManager.open(old);
  expect(statSync(old).mode).toBe(mode);
  expect(readdirSync(folder).filter((name) => !name.endsWith(".jsonl"))).toEqual([]);
});
