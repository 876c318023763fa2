import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { SessionManager } from "../../library/index.ts";
import { decodePath, encodePath } from "../../src/path-bytes.ts";
import { deleteSession } from "../../src/session/delete-session.ts";
import { findTrashedSessions } from "../../src/session/find-trashed.ts";
import { toRoot } from "../../src/session/locations.ts";
import { restoreSession } from "../../src/session/restore-session.ts";
import { temporaryFolder } from "../temporary.ts";
import { folderElsewhere, hasElsewhere, ON_DISK } from "./elsewhere.ts";

const NAME = "2026-01-05T09-00-00-000Z_019b8d40-0000-7000-8000-000000000001";

/** A home folder with its own trash, and a session with a folder of subagent sessions and a backup. */
function createWorkspace(platform: NodeJS.Platform = "linux") {
  const folder = realpathSync(temporaryFolder(undefined, ON_DISK));
  const root = join(folder, "sessions", "--shop--");
  mkdirSync(join(root, NAME, "run"), { recursive: true });
  const path = session({ cwd: "/shop" })
    .user("hello")
    .name("Tax")
    .custom("pidex", { pinned: true, tags: ["till"] })
    .write(join(root, `${NAME}.jsonl`));
  writeFileSync(join(root, NAME, "run", "sub.jsonl"), "subagent");
  writeFileSync(`${path}.bak`, "before");
  const environment: Record<string, string> = {
    HOME: join(folder, "home"),
    XDG_DATA_HOME: join(folder, "data"),
    PATH: "/nowhere",
  };
  const options = { environment, platform };
  const all = () =>
    readdirSync(join(folder, "sessions"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file, readFileSync(file, "utf8"), statSync(file).mtimeMs, statSync(file).mode]);
  return { folder, root: join(folder, "sessions"), path, options, all };
}

const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

describe.each(["linux", "darwin"] as const)("on %s", (platform) => {
  test("a session and its companions are restored unchanged to their original paths", async () => {
    const { path, root, options, all, folder } = createWorkspace(platform);
    const before = all();
    const gone = await deleteSession(path, options);
    expect(all()).toEqual([]);
    const found = only(await findTrashedSessions([toRoot(root)], options));
    expect(found).toMatchObject({ path, trashPath: gone.trashPath });
    expect(Math.abs(found.deletedAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect(found.along.map((each) => each.path).sort()).toEqual(
      [join(root, "--shop--", NAME), `${path}.bak`].sort(),
    );
    const restored = await restoreSession(found);
    expect(restored).toEqual({
      path,
      along: expect.arrayContaining([join(root, "--shop--", NAME), `${path}.bak`]),
    });
    expect(all()).toEqual(before);
    expect(await findTrashedSessions([toRoot(root)], options)).toEqual([]);
    // The trash is empty, without notes.
    const left = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(left).toHaveLength(before.length);
  });

  test("existing files are not overwritten, and the session stays in the trash", async () => {
    for (const blocking of ["", ".bak"]) {
      const { path, root, options } = createWorkspace(platform);
      await deleteSession(path, options);
      writeFileSync(`${path}${blocking}`, "written since");
      const found = only(await findTrashedSessions([toRoot(root)], options));
      await expect(restoreSession(found)).rejects.toMatchObject({
        code: "RESTORE_FAILED",
        message: `file already exists: ${path}${blocking}`,
      });
      expect(readdirSync(join(root, "--shop--"))).toEqual([`${NAME}.jsonl${blocking}`]);
      expect(readFileSync(`${path}${blocking}`, "utf8")).toBe("written since");
      expect(await findTrashedSessions([toRoot(root)], options)).toEqual([found]);
    }
  });

  test("several sessions with the same original path are found, the last deleted first", async () => {
    const { path, root, options } = createWorkspace(platform);
    await deleteSession(path, options);
    session({ cwd: "/shop" }).user("another").write(path);
    await deleteSession(path, options);
    const [second, first, ...more] = await findTrashedSessions([toRoot(root)], options);
    expect(more).toEqual([]);
    expect(readFileSync(second?.trashPath as string, "utf8")).toContain("another");
    expect(readFileSync(first?.trashPath as string, "utf8")).toContain("hello");
    // Files trashed with the first session do not belong to the second.
    expect([second?.along.length, first?.along.length]).toEqual([0, 2]);
  });
});

test("the original folder is created again", async () => {
  const { path, root, options, all } = createWorkspace();
  const before = all();
  await deleteSession(path, options);
  rmSync(root, { recursive: true });
  await restoreSession(only(await findTrashedSessions([toRoot(root)], options)));
  expect(all()).toEqual(before);
});

test("a session below a linked folder is found by the link and by the real path", async () => {
  const { path, root, options, folder, all } = createWorkspace();
  const before = all();
  symlinkSync(root, join(folder, "linked"));
  await deleteSession(path.replace(root, join(folder, "linked")), options);
  const found = only(await findTrashedSessions([toRoot(join(folder, "linked"))], options));
  expect(await findTrashedSessions([toRoot(root)], options)).toEqual([found]);
  await restoreSession(found);
  expect(all()).toEqual(before);
});

test("other files and folders are not listed; invalid notes are ignored", async () => {
  const { folder, root, options, path } = createWorkspace();
  await deleteSession(path, options);
  const trash = join(folder, "data", "Trash");
  const put = (name: string, note: string, text = "x") => {
    writeFileSync(join(trash, "files", name), text);
    writeFileSync(join(trash, "info", `${name}.trashinfo`), note);
  };
  const note = (where: string) => `[Trash Info]\nPath=${where}\nDeletionDate=2026-01-01T00:00:00\n`;
  put("other.txt", note(join(root, "other.txt")));
  put("far.jsonl", note("/elsewhere/far.jsonl"));
  put("up.jsonl", note(`${root}/../../etc/up.jsonl`));
  put("relative.jsonl", note("relative.jsonl"));
  put("no-path.jsonl", "[Trash Info]\n");
  put("bad.jsonl", note(`${root}/%zz.jsonl`));
  put("not-a-note.jsonl", "\0".repeat(100));
  put("dateless.jsonl", `[Trash Info]\nPath=${root}/dateless.jsonl\n`);
  writeFileSync(join(trash, "info", "gone.jsonl.trashinfo"), note(`${root}/gone.jsonl`));
  mkdirSync(join(trash, "info", "folder.trashinfo"));
  mkdirSync(join(trash, "files", "folder.jsonl"));
  writeFileSync(join(trash, "info", "folder.jsonl.trashinfo"), note(`${root}/folder.jsonl`));
  const found = await findTrashedSessions([toRoot(root)], options);
  expect(found.map((each) => each.path).sort()).toEqual([path, `${root}/dateless.jsonl`].sort());
});

test("any file name is restored", async () => {
  const { root, options } = createWorkspace();
  for (const name of ["100%25% #?;=&+\"'\\[]*$(x).jsonl", "书店 🧺 e\u0301.jsonl", "a\nPath=x\tb.jsonl"]) {
    const path = join(root, name);
    writeFileSync(path, "its bytes");
    await deleteSession(path, options);
    await restoreSession(only(await findTrashedSessions([toRoot(root)], options)));
    expect(readFileSync(path, "utf8")).toBe("its bytes");
  }
});

test("a session that cannot be restored stays in the trash, with an error", async () => {
  const { path, root, options } = createWorkspace();
  await deleteSession(path, options);
  const found = only(await findTrashedSessions([toRoot(root)], options));
  renameSync(found.trashPath, `${found.trashPath}-elsewhere`);
  await expect(restoreSession(found)).rejects.toMatchObject({ code: "RESTORE_FAILED" });
  renameSync(`${found.trashPath}-elsewhere`, found.trashPath);
  rmSync(root, { recursive: true });
  writeFileSync(root, "a file where its folder was");
  await expect(restoreSession(found)).rejects.toMatchObject({
    code: "RESTORE_FAILED",
    message: expect.stringContaining(" could not be restored: "),
  });
  expect(existsSync(found.trashPath)).toBe(true);
});

test("without a trash no session is found", async () => {
  const { root, options } = createWorkspace();
  expect(await findTrashedSessions([toRoot(root)], options)).toEqual([]);
  expect(
    await findTrashedSessions([toRoot(root), toRoot("/nowhere/at/all")], { ...options, platform: "win32" }),
  ).toEqual([]);
});

test("files moved by a trash command are found if it writes freedesktop.org's notes", async () => {
  const { path, root, options, folder, all } = createWorkspace();
  const before = all();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const trash = join(folder, "data", "Trash");
  writeFileSync(
    join(bin, "trash"),
    `#!/bin/sh
mkdir -p '${trash}/files' '${trash}/info'
name=$(basename "$1")
printf '[Trash Info]\\nPath=%s\\nDeletionDate=%s\\n' "$1" "$(date +%Y-%m-%dT%H:%M:%S)" > "${trash}/info/$name.trashinfo"
mv "$1" "${trash}/files/$name"
`,
  );
  chmodSync(join(bin, "trash"), 0o755);
  options.environment.PATH = `${bin}:/usr/bin:/bin`;
  expect((await deleteSession(path, options)).to).toBe("trash command");
  await restoreSession(only(await findTrashedSessions([toRoot(root)], options)));
  expect(all()).toEqual(before);
});

test("files moved by macOS's trash command are found", async () => {
  const { path, root, options, folder, all } = createWorkspace("darwin");
  const before = all();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "trash"), `#!/bin/sh\nmkdir -p "$HOME/.Trash"; mv "$1" "$HOME/.Trash/"\n`);
  chmodSync(join(bin, "trash"), 0o755);
  options.environment.PATH = `${bin}:/usr/bin:/bin`;
  const gone = await deleteSession(path, options);
  expect(gone).toMatchObject({
    to: "trash command",
    trashPath: join(folder, "home", ".Trash", `${NAME}.jsonl`),
  });
  await restoreSession(only(await findTrashedSessions([toRoot(root)], options)));
  expect(all()).toEqual(before);
});

test("another file that has the session's name in macOS's trash is not restored", async () => {
  const { path, root, options } = createWorkspace("darwin");
  const { trashPath = "" } = await deleteSession(path, options);
  renameSync(trashPath, `${trashPath}-away`);
  writeFileSync(trashPath, "another");
  expect(await findTrashedSessions([toRoot(root)], options)).toEqual([]);
});

test.runIf(hasElsewhere)("a session is restored from the trash of another file system", async () => {
  const { options } = createWorkspace();
  const folder = folderElsewhere();
  const path = join(folder, "root", "a b.jsonl");
  mkdirSync(join(folder, "root"));
  writeFileSync(path, "its bytes");
  const { trashPath } = await deleteSession(path, options);
  expect(trashPath).toMatch(/^\/dev\/shm\/\.Trash/);
  rmSync(join(folder, "root"), { recursive: true });
  await restoreSession(only(await findTrashedSessions([toRoot(join(folder, "root"))], options)));
  expect(readFileSync(path, "utf8")).toBe("its bytes");
});

test("no session is restored through a link to a folder outside the roots", async () => {
  const { folder, root, path, options } = createWorkspace();
  const outside = join(folder, "outside");
  mkdirSync(outside);
  const { trashPath = "" } = await deleteSession(path, options);
  symlinkSync(outside, join(root, "--linked--"));
  const info = join(folder, "data", "Trash", "info");
  for (const name of readdirSync(info)) {
    const note = join(info, name);
    writeFileSync(note, readFileSync(note, "utf8").replaceAll("--shop--", "--linked--"));
  }
  const restored = SessionManager.restore(trashPath, { roots: [root], ...options });
  await expect(restored).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(trashPath)).toBe(true);
});

test.skipIf(process.platform !== "linux")(
  "a session with a name that is not UTF-8 is restored under that name",
  async () => {
    const { root, path, options } = createWorkspace();
    const odd = decodePath(
      Buffer.concat([Buffer.from(`${join(root, "--shop--")}/odd-`), Buffer.of(0xff), Buffer.from(".jsonl")]),
    );
    renameSync(path, encodePath(odd));
    const { trashPath = "" } = await deleteSession(odd, options);
    expect(existsSync(encodePath(odd))).toBe(false);
    expect((await findTrashedSessions([toRoot(root)], options)).map((each) => each.path)).toEqual([odd]);
    await SessionManager.restore(trashPath, { roots: [root], ...options });
    expect(existsSync(encodePath(odd))).toBe(true);
  },
);

test.runIf(hasElsewhere && process.getuid?.() === 0)(
  "a shared trash that another user created is ignored",
  async () => {
    const { options } = createWorkspace();
    const folder = folderElsewhere();
    const path = join(folder, "a.jsonl");
    writeFileSync(path, "its bytes");
    const { trashPath = "" } = await deleteSession(path, options);
    expect(await findTrashedSessions([toRoot(folder)], options)).toHaveLength(1);
    chownSync(dirname(dirname(trashPath)), 65_534, 65_534);
    expect(await findTrashedSessions([toRoot(folder)], options)).toEqual([]);
  },
);
