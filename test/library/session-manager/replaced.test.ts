import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { SessionChangedError, SessionManager } from "../../../library/index.ts";
import { replaceFile } from "../../../src/session/writing/replace-file.ts";
import { withRewriteLock } from "../../../src/session/writing/rewrite-lock.ts";
import { temporaryFolder } from "../../temporary.ts";

const SCRIPT = join(import.meta.dirname, "writing-process.ts");
const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
const entriesOf = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const HEADER = '{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}';
const oldLine = (text: string) =>
  `{"type":"message","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"user","content":"${text}","timestamp":1}}`;

/** Runs a writing process. @returns the ids that it acknowledged */
function process(...args: string[]): Promise<string[]> {
  const child = spawn(globalThis.process.execPath, [SCRIPT, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0
        ? resolve(said.trim().split("\n").slice(1))
        : reject(new Error(`${args[0]} ended with ${code}`)),
    );
  });
}

function expectAll(path: string, said: readonly string[]): void {
  const entries = entriesOf(path).slice(1);
  const ids = new Set(entries.map(({ id }) => id));
  expect(said.filter((id) => !ids.has(id))).toEqual([]);
  expect(entries.filter(({ parentId }) => parentId !== null && !ids.has(parentId))).toEqual([]);
  expect(readdirSync(join(path, "..")).filter((name) => !name.includes(".bak"))).toEqual(["one.jsonl"]);
}

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "one.jsonl");
});

describe("while other processes append", () => {
  test("several processes upgrade one old session, and no entry is lost", async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => oldLine(`${n} ${"y".repeat(300)}`));
    writeFileSync(path, `${[HEADER, ...lines].join("\n")}\n`);
    const said = await Promise.all([1, 2, 3, 4].map((who) => process("append", path, "20", `writer-${who}`)));
    expect(said.flat()).toHaveLength(80);
    expectAll(path, said.flat());
    expect(entriesOf(path)).toHaveLength(2_081);
  });

  test("the file is replaced repeatedly, and no entry is lost", async () => {
    SessionManager.open(path).appendMessage(user("Begin."));
    const writers = [1, 2, 3].map((who) => process("append", path, "150", `writer-${who}`));
    const [, ...said] = await Promise.all([process("move", path, "30"), ...writers]);
    expect(said.flat()).toHaveLength(450);
    expectAll(path, said.flat());
  });
});

describe("a replaced file", () => {
  const stranger = `{"type":"session","version":3,"id":"else","timestamp":"","cwd":""}\n${'{"type":"custom","id":"x","parentId":null,"timestamp":"","customType":"x"}\n'.repeat(20)}`;

  test.each<[string, () => void]>([
    ["written over in place", () => writeFileSync(path, stranger)],
    [
      "deleted and created again, possibly with the same inode",
      () => {
        rmSync(path);
        writeFileSync(path, stranger);
      },
    ],
  ])("%s is not touched", (_, change) => {
    const session = SessionManager.open(path);
    session.appendMessage(user("Begin."));
    change();
    expect(() => session.appendMessage(user("Lost?"))).toThrow(SessionChangedError);
    expect(() => session.moveTo("/home/eve")).toThrow(SessionChangedError);
    expect(readFileSync(path, "utf8")).toBe(stranger);
    // The entries of this session can be saved as a new session, as the error says.
    const kept = session.createBranchedSession(session.getLeafId() as string) as string;
    session.appendMessage(user("Kept."));
    expect(entriesOf(kept)).toHaveLength(3);
  });

  test("recreated by one of two writers does not accept the other's next entry without its parent", () => {
    const first = SessionManager.open(path);
    first.appendMessage(user("Begin."));
    const second = SessionManager.open(path);
    second.appendMessage(user("Only the second knows."));
    rmSync(path);
    first.appendMessage(user("Written again in full."));
    expect(() => second.appendMessage(user("A child of what is not there."))).toThrow(SessionChangedError);
    const ids = new Set(entriesOf(path).map(({ id }) => id));
    for (const { parentId = null } of entriesOf(path))
      expect(parentId === null || ids.has(parentId)).toBe(true);
  });

  test("reports correct line offsets afterwards", () => {
    const offsets: number[] = [];
    const session = SessionManager.open(path, { onAppended: (_, offset) => offsets.push(offset) });
    session.appendMessage(user("Begin."));
    rmSync(path);
    session.appendMessage(user("Written again in full."));
    const { size } = statSync(path);
    session.appendMessage(user("And on."));
    expect(offsets).toEqual([0, 0, size]);
  });
});

describe("an upgrade", () => {
  test.skipIf(globalThis.process.platform === "win32")("keeps the mode, whatever the umask", () => {
    writeFileSync(path, `${HEADER}\n${oldLine("Hi")}\n`);
    chmodSync(path, 0o666);
    SessionManager.open(path);
    expect(statSync(path).mode & 0o777).toBe(0o666);
  });

  test("keeps a torn last line in the backup", () => {
    const old = `${HEADER}\n${oldLine("Hi")}\n{"type":"mess`;
    writeFileSync(path, old);
    SessionManager.open(path);
    expect(readFileSync(`${path}.bak`, "utf8")).toBe(old);
  });

  test("removes temporary files of a killed process, and ignores its lock", () => {
    writeFileSync(path, `${HEADER}\n${oldLine("Hi")}\n`);
    writeFileSync(`${path}.0123abcd.tmp`, "half");
    writeFileSync(`${path}.lock`, "4194999"); // larger than any process id
    writeFileSync(join(folder, "other.jsonl.0123abcd.tmp"), "another's");
    SessionManager.open(path);
    expect(readdirSync(folder).sort()).toEqual(["one.jsonl", "other.jsonl.0123abcd.tmp"]);
  });

  test.skipIf(globalThis.process.platform === "win32")(
    "is refused if the lock file is a pipe, but the session can be opened for reading",
    () => {
      writeFileSync(path, `${HEADER}\n${oldLine("Hi")}\n`);
      execFileSync("mkfifo", [`${path}.lock`]);
      // In a separate process, because opening a pipe blocks.
      const script = `
        const { SessionManager } = await import(${JSON.stringify(join(import.meta.dirname, "..", "..", "..", "library", "index.ts"))});
        const path = ${JSON.stringify(path)};
        let code;
        try { SessionManager.open(path); } catch (error) { code = [error.code, error.hint]; }
        console.log(JSON.stringify([code, SessionManager.open(path, { readOnly: true }).getEntryCount()]));`;
      const args = ["--no-warnings", "--input-type=module", "-e", script];
      const { stdout, signal } = spawnSync(globalThis.process.execPath, args, {
        encoding: "utf8",
        timeout: 20_000,
      });
      expect(signal).toBeNull();
      expect(JSON.parse(stdout)).toEqual([["SESSION_CHANGED", expect.stringContaining(`${path}.lock`)], 1]);
    },
  );

  test.skipIf(!existsSync("/proc/self/stat"))(
    "does not wait for a process that reuses the id of a dead one",
    () => {
      writeFileSync(path, `${HEADER}\n${oldLine("Hi")}\n`);
      // Our process id, with another start time.
      writeFileSync(`${path}.lock`, `${globalThis.process.ppid} 1`);
      const later = Date.now() / 1000 + 3_600; // so that it does not become stale during the wait
      utimesSync(`${path}.lock`, later, later);
      SessionManager.open(path);
      expect(readdirSync(folder)).toEqual(["one.jsonl"]);
    },
  );

  test.skipIf(globalThis.process.getuid?.() === 0)("of a read-only file is refused", () => {
    const old = `${HEADER}\n${oldLine("Hi")}\n`;
    writeFileSync(path, old, { mode: 0o444 });
    expect(() => SessionManager.open(path)).toThrow(expect.objectContaining({ code: "FILE_UNWRITABLE" }));
    expect(readFileSync(path, "utf8")).toBe(old);
    expect(SessionManager.open(path, { readOnly: true }).getEntryCount()).toBe(1);
  });

  test("does not replace a file that another process created meanwhile", () => {
    writeFileSync(path, "old\n");
    const replace = () =>
      replaceFile(path, function* () {
        yield "new\n";
        writeFileSync(join(folder, "another"), "another's\n");
        renameSync(join(folder, "another"), path);
      });
    expect(replace).toThrow(expect.objectContaining({ code: "SESSION_CHANGED" }));
    expect(readFileSync(path, "utf8")).toBe("another's\n");
    expect(readdirSync(folder)).toEqual(["one.jsonl"]);
  });

  test("is not started within another upgrade", () => {
    expect(withRewriteLock(path, () => existsSync(`${path}.lock`))).toBe(true);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test("gives a fork the same ids as its source, also after a title", () => {
    writeFileSync(path, `{"type":"title","title":"T"}\n${HEADER}\n${oldLine("Hi")}\n`);
    const fork = SessionManager.forkFrom(path, "/home/ada", folder);
    expect(fork.getEntries()).toEqual(SessionManager.open(path).getEntries());
  });
});

describe("companions that move with a session", () => {
  /** A session in its project folder. */
  function inProject(name: string): string {
    const file = join(folder, "--home-ada-shop--", name);
    mkdirSync(join(file, ".."));
    writeFileSync(file, `${HEADER.replace('"cwd":"/"', '"cwd":"/home/ada/shop","version":3')}\n`);
    return file;
  }
  const GIVEN = "2026-01-01T00-00-00-000Z_one.jsonl";

  test("are its subagents' folder and its backups, and an interrupted move can be repeated", () => {
    const file = inProject(GIVEN);
    mkdirSync(file.slice(0, -6));
    writeFileSync(`${file}.bak`, "old");
    const before = join(folder, "--home-ada-store--");
    mkdirSync(join(before, GIVEN.slice(0, -6)), { recursive: true });
    rmSync(file.slice(0, -6), { recursive: true }); // as if the write stopped
    SessionManager.open(file).moveTo("/home/ada/store");
    expect(readdirSync(before).sort()).toEqual([GIVEN.slice(0, -6), GIVEN, `${GIVEN}.bak`].sort());
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  test.each(["notes.jsonl", ".jsonl", "a.json"])("are not an unrelated folder next to %s", (name) => {
    const file = inProject(name);
    mkdirSync(join(file, "..", "notes"));
    writeFileSync(join(file, "..", "other.jsonl"), "");
    SessionManager.open(file).moveTo("/home/ada/store");
    expect(readdirSync(join(folder, "--home-ada-store--"))).toEqual([name]);
    expect(readdirSync(join(file, "..")).sort()).toEqual(["notes", "other.jsonl"]);
  });
});

test("tags set by another process are kept when others are added or removed", () => {
  const session = SessionManager.open(path);
  session.appendMessage(user("Begin."));
  session.setTags(["a"]);
  SessionManager.open(path).addTags("b");
  session.addTags("c");
  expect(session.getTags()).toEqual(["a", "b", "c"]);
  SessionManager.open(path).setTags([]);
  session.addTags("c");
  expect(SessionManager.open(path).getTags()).toEqual(["c"]);
});

test("searching for sessions creates no folder", async () => {
  const before = globalThis.process.env.PI_CODING_AGENT_DIR;
  globalThis.process.env.PI_CODING_AGENT_DIR = folder;
  try {
    expect(SessionManager.findById("/home/ada", "x")).toBeUndefined();
    expect(
      await SessionManager.list("/home/ada", undefined, undefined, undefined, {
        db: join(folder, "db", "x.db"),
      }),
    ).toEqual([]);
    expect(readdirSync(folder)).not.toContain("sessions");
  } finally {
    if (before === undefined) delete globalThis.process.env.PI_CODING_AGENT_DIR;
    else globalThis.process.env.PI_CODING_AGENT_DIR = before;
  }
});

test("only files with a session's name are deleted", async () => {
  const notes = join(folder, "notes.txt");
  writeFileSync(notes, "mine");
  await expect(SessionManager.delete(notes, { permanent: true })).rejects.toMatchObject({
    code: "BAD_OPTION",
  });
  expect(existsSync(notes)).toBe(true);
});
