import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { decodePath, encodePath } from "../../src/path-bytes.ts";
import { deleteSession } from "../../src/session/delete-session.ts";
import { detectTrash, moveToTrash } from "../../src/session/trash.ts";
import { temporaryFolder } from "../temporary.ts";
import { ELSEWHERE, folderElsewhere, hasElsewhere, ON_DISK } from "./elsewhere.ts";

/** A home folder with its own trash, without a `trash` command, and files to delete. */
function createWorkspace() {
  const folder = realpathSync(temporaryFolder(undefined, ON_DISK));
  const work = join(folder, "work");
  mkdirSync(work);
  const environment: Record<string, string> = {
    HOME: join(folder, "home"),
    XDG_DATA_HOME: join(folder, "data"),
    PATH: "/nowhere",
  };
  const trash = join(folder, "data", "Trash");
  const file = (name: string, text = name): string => {
    const path = join(work, name);
    writeFileSync(path, text);
    return path;
  };
  return { folder, work, environment, trash, file };
}

/** A `trash` command, first on the PATH, that records its arguments in the file `recorded`. */
function stubTrash({ folder, environment }: ReturnType<typeof createWorkspace>, script: string): void {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "trash"), `#!/bin/sh\nprintf '%s\\0' "$@" >> '${folder}/recorded'\n${script}\n`);
  chmodSync(join(bin, "trash"), 0o755);
  environment.PATH = `${bin}:/usr/bin:/bin`;
}

/** Parses a note in the trash. */
function noteOf(trashPath: string): { path: string; date: string; raw: string } {
  const info = join(dirname(dirname(trashPath)), "info", `${basename(trashPath)}.trashinfo`);
  const raw = readFileSync(encodePath(info), "utf8");
  const [, path = "", date = ""] =
    /^\[Trash Info\]\nPath=([\w.~/%-]+)\nDeletionDate=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\n$/.exec(raw) ?? [];
  return { path: decodeURIComponent(path), date, raw };
}

describe("the freedesktop trash", () => {
  test("has the file, and a note with its original path and deletion date", async () => {
    const { trash, file, environment } = createWorkspace();
    const path = file("a.jsonl", "its bytes");
    const before = Math.floor(Date.now() / 1000) * 1000;
    const trashed = await moveToTrash(path, { environment });
    expect(trashed).toEqual({ to: "freedesktop trash", trashPath: join(trash, "files", "a.jsonl") });
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(trashed.trashPath as string, "utf8")).toBe("its bytes");
    const note = noteOf(trashed.trashPath as string);
    expect(note.path).toBe(path);
    // A time without a zone is local, as for Date.
    expect(Date.parse(note.date)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(note.date)).toBeLessThanOrEqual(Date.now());
    for (const each of [trash, join(trash, "files"), join(trash, "info")]) {
      expect(statSync(each).mode & 0o777).toBe(0o700);
    }
  });

  test("is in ~/.local/share if XDG_DATA_HOME is unset or relative", async () => {
    const { file, environment, folder } = createWorkspace();
    for (const data of ["", "relative/data"]) {
      const { trashPath } = await moveToTrash(file("a.jsonl"), {
        environment: { ...environment, XDG_DATA_HOME: data },
      });
      expect(dirname(trashPath as string)).toBe(join(folder, "home", ".local/share/Trash/files"));
    }
  });

  test.each([
    ["spaces", "my  notes .jsonl"],
    ["newlines and tabs", "a\nPath=x\tb.jsonl"],
    ["percent signs", "100%25%.jsonl"],
    ["a lone surrogate", "half \ud83d of a pair.jsonl"],
    ["Chinese, emoji and an accent of its own", "书店 🧺 e\u0301.jsonl"],
    ["a dash first", "-rf"],
    ["signs", `#?;=&+"'\\[]*$(x).jsonl`],
    ["245 bytes", `${"é".repeat(119)}x.jsonl`],
  ])("accepts names with %s", async (_, name) => {
    const { file, environment } = createWorkspace();
    const { trashPath = "" } = await moveToTrash(file(name, "its bytes"), { environment });
    expect(readFileSync(trashPath, "utf8")).toBe("its bytes");
    expect(basename(noteOf(trashPath).path)).toBe(Buffer.from(name).toString());
  });

  test("writes notes from which any path can be read back", async () => {
    const { work, environment } = createWorkspace();
    const name = fc
      .string({ unit: "binary", minLength: 1, maxLength: 30 })
      .filter((text) => !/[\0/]/.test(text) && text !== "." && text !== "..");
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 3 }), async (names) => {
        const path = join(work, ...names);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "its bytes");
        const { trashPath = "" } = await moveToTrash(decodePath(Buffer.from(path)), { environment });
        expect(noteOf(trashPath).path).toBe(Buffer.from(path).toString());
        expect(readFileSync(encodePath(trashPath), "utf8")).toBe("its bytes");
        expect(existsSync(path)).toBe(false);
        rmSync(join(work, names[0] as string), { recursive: true, force: true });
      }),
      { numRuns: 50, examples: [[["\u{10fe80}", "\u0001"]]] },
    );
  });

  test("keeps all files with the same name, also concurrent ones", async () => {
    const { work, environment, trash } = createWorkspace();
    const paths = Array.from({ length: 12 }, (_, n) => {
      mkdirSync(join(work, String(n)));
      writeFileSync(join(work, String(n), "a.jsonl"), String(n));
      return join(work, String(n), "a.jsonl");
    });
    const trashed = await Promise.all(paths.map((path) => moveToTrash(path, { environment })));
    expect(new Set(trashed.map(({ trashPath }) => trashPath)).size).toBe(12);
    trashed.forEach(({ trashPath = "" }, n) => {
      expect(readFileSync(trashPath, "utf8")).toBe(String(n));
      expect(noteOf(trashPath).path).toBe(paths[n]);
    });
    expect(readdirSync(join(trash, "files"))).toContain("a 12.jsonl");
    expect(readdirSync(join(trash, "info"))).toHaveLength(12);
  });

  test("overwrites neither a file without a note nor a note without a file", async () => {
    const { file, environment, trash } = createWorkspace();
    for (const each of ["files", "info"]) mkdirSync(join(trash, each), { recursive: true });
    writeFileSync(join(trash, "files", "a.jsonl"), "orphan");
    writeFileSync(join(trash, "info", "a 2.jsonl.trashinfo"), "note");
    const { trashPath } = await moveToTrash(file("a.jsonl"), { environment });
    expect(trashPath).toBe(join(trash, "files", "a 3.jsonl"));
    expect(readFileSync(join(trash, "files", "a.jsonl"), "utf8")).toBe("orphan");
    expect(readFileSync(join(trash, "info", "a 2.jsonl.trashinfo"), "utf8")).toBe("note");
    expect(readdirSync(join(trash, "info")).sort()).toEqual(["a 2.jsonl.trashinfo", "a 3.jsonl.trashinfo"]);
  });

  test("moves complete folders, and links themselves", async () => {
    const { file, work, environment } = createWorkspace();
    mkdirSync(join(work, "folder", "below"), { recursive: true });
    writeFileSync(join(work, "folder", "below", "x"), "x");
    const folder = await moveToTrash(join(work, "folder"), { environment });
    expect(readFileSync(join(folder.trashPath as string, "below", "x"), "utf8")).toBe("x");
    const target = file("target");
    symlinkSync(target, join(work, "link"));
    const link = await moveToTrash(join(work, "link"), { environment });
    expect(lstatSync(link.trashPath as string).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe("target");
  });

  test("writes the real path of a file below a linked folder to the note", async () => {
    const { file, work, folder, environment } = createWorkspace();
    file("a.jsonl");
    symlinkSync(work, join(folder, "linked"));
    const { trashPath = "" } = await moveToTrash(join(folder, "linked", "a.jsonl"), { environment });
    expect(noteOf(trashPath).path).toBe(join(work, "a.jsonl"));
  });

  test("leaves the file in its place if the trash cannot be created, with a hint", async () => {
    const { file, folder, environment } = createWorkspace();
    writeFileSync(join(folder, "data"), "in the way");
    const path = file("a.jsonl");
    await expect(moveToTrash(path, { environment })).rejects.toMatchObject({
      code: "TRASH_FAILED",
      message: expect.stringContaining(`${path} could not be moved to the trash: `),
      hint: expect.stringContaining("--permanent"),
    });
    expect(readFileSync(path, "utf8")).toBe("a.jsonl");
  });

  test("is not used for a missing file", async () => {
    const { work, environment, trash } = createWorkspace();
    await expect(moveToTrash(join(work, "gone"), { environment })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(existsSync(trash)).toBe(false);
  });
});

const uid = process.getuid?.() ?? 0;

describe.runIf(hasElsewhere)("on another file system", () => {
  function elsewhere() {
    const folder = folderElsewhere();
    writeFileSync(join(folder, "a b.jsonl"), "its bytes");
    return { ...createWorkspace(), path: join(folder, "a b.jsonl") };
  }

  test("the user's trash there is used, with a relative path in the note", async () => {
    const { path, environment, trash } = elsewhere();
    const { trashPath = "" } = await moveToTrash(path, { environment });
    expect(trashPath).toBe(join(ELSEWHERE, `.Trash-${uid}`, "files", "a b.jsonl"));
    expect(statSync(join(ELSEWHERE, `.Trash-${uid}`)).mode & 0o777).toBe(0o700);
    expect(readFileSync(trashPath, "utf8")).toBe("its bytes");
    expect(noteOf(trashPath).path).toBe(path.slice(ELSEWHERE.length + 1));
    expect(readdirSync(join(trash, "info"))).toEqual([]);
  });

  test("a shared trash is used if it is sticky and not a link", async () => {
    const own = join(ELSEWHERE, `.Trash-${uid}`, "files", "a b.jsonl");
    const shared = join(ELSEWHERE, ".Trash");
    {
      const { path, environment } = elsewhere();
      mkdirSync(shared);
      expect((await moveToTrash(path, { environment })).trashPath).toBe(own);
      rmSync(shared, { recursive: true });
    }
    {
      const { path, environment, folder } = elsewhere();
      const target = join(dirname(path), "target");
      mkdirSync(target);
      chmodSync(target, 0o1777);
      symlinkSync(target, shared);
      expect((await moveToTrash(path, { environment })).trashPath).toBe(own.replace("a b", "a b 2"));
      expect(readdirSync(target)).toEqual([]);
      rmSync(shared);
      expect(existsSync(folder)).toBe(true);
    }
    {
      const { path, environment } = elsewhere();
      mkdirSync(shared);
      chmodSync(shared, 0o1777);
      const { trashPath } = await moveToTrash(path, { environment });
      expect(trashPath).toBe(join(shared, String(uid), "files", "a b.jsonl"));
    }
  });

  test("a trash that is not the user's is not used, and the file stays", async () => {
    const { path, environment, folder } = elsewhere();
    symlinkSync(folder, join(ELSEWHERE, `.Trash-${uid}`));
    await expect(moveToTrash(path, { environment })).rejects.toMatchObject({
      code: "TRASH_FAILED",
      message: expect.stringContaining("is not a folder owned by the current user"),
    });
    expect(readFileSync(path, "utf8")).toBe("its bytes");
  });
});

describe("the trash command", () => {
  test("is used if it exists, with only the full path as an argument", async () => {
    const workspace = createWorkspace();
    stubTrash(workspace, `mv "$1" '${workspace.folder}/kept'`);
    const path = workspace.file("-a b.jsonl");
    expect(await detectTrash({ environment: workspace.environment })).toBe("trash command");
    expect(await moveToTrash(path, { environment: workspace.environment })).toEqual({ to: "trash command" });
    expect(readFileSync(join(workspace.folder, "recorded"), "utf8")).toBe(`${path}\0`);
    expect(readFileSync(join(workspace.folder, "kept"), "utf8")).toBe("-a b.jsonl");
    expect(existsSync(workspace.trash)).toBe(false);
  });

  test("succeeded if the file is gone, whatever its exit code", async () => {
    const workspace = createWorkspace();
    stubTrash(workspace, `mv "$1" '${workspace.folder}/kept'\nexit 3`);
    const trashed = await moveToTrash(workspace.file("a.jsonl"), { environment: workspace.environment });
    expect(trashed).toEqual({ to: "trash command" });
  });

  test("gets an empty stdin", async () => {
    const workspace = createWorkspace();
    stubTrash(workspace, `cat > /dev/null; mv "$1" '${workspace.folder}/kept'`);
    const trashed = await moveToTrash(workspace.file("a.jsonl"), { environment: workspace.environment });
    expect(trashed.to).toBe("trash command");
  });

  test.each([
    ["fails", "echo 'no trash today' >&2; exit 1"],
    ["does nothing", "exit 0"],
  ])("that %s is replaced by the freedesktop trash", async (_, script) => {
    const workspace = createWorkspace();
    stubTrash(workspace, script);
    const trashed = await moveToTrash(workspace.file("a.jsonl"), { environment: workspace.environment });
    expect(trashed.to).toBe("freedesktop trash");
    expect(readFileSync(trashed.trashPath as string, "utf8")).toBe("a.jsonl");
  });

  test("is quoted in the error if the other ways fail too, and the file stays", async () => {
    const workspace = createWorkspace();
    stubTrash(workspace, "echo 'no trash today' >&2; exit 1");
    writeFileSync(join(workspace.folder, "data"), "in the way");
    const path = workspace.file("a.jsonl");
    await expect(moveToTrash(path, { environment: workspace.environment })).rejects.toThrow("no trash today");
    expect(existsSync(path)).toBe(true);
  });

  test("ignores files that are not executable, folders and the current folder", async () => {
    const workspace = createWorkspace();
    const bin = join(workspace.folder, "bin");
    mkdirSync(join(bin, "a", "trash"), { recursive: true });
    mkdirSync(join(bin, "b"));
    writeFileSync(join(bin, "b", "trash"), "#!/bin/sh\n", { mode: 0o644 });
    workspace.environment.PATH = `${bin}/a:${bin}/b::.:relative`;
    expect(await detectTrash({ environment: workspace.environment })).toBe("freedesktop trash");
  });
});

describe("on macOS without a command", () => {
  test("files and folders are moved to ~/.Trash under unused names", async () => {
    const { file, folder, work, environment } = createWorkspace();
    const platform = "darwin";
    const trash = join(folder, "home", ".Trash");
    expect(await detectTrash({ environment, platform })).toBe("macOS trash");
    for (const name of ["a.jsonl", "a 2.jsonl"]) {
      const trashed = await moveToTrash(file("a.jsonl", name), { environment, platform });
      expect(trashed).toEqual({ to: "macOS trash", trashPath: join(trash, name) });
      expect(readFileSync(join(trash, name), "utf8")).toBe(name);
    }
    for (const name of ["folder", "folder 2"]) {
      mkdirSync(join(work, "folder"));
      writeFileSync(join(work, "folder", "x"), name);
      await moveToTrash(join(work, "folder"), { environment, platform });
      expect(readFileSync(join(trash, name, "x"), "utf8")).toBe(name);
    }
  });
});

test("on Windows without a command nothing is moved, and the hint names --permanent", async () => {
  const { file, environment } = createWorkspace();
  const path = file("a.jsonl");
  const options = { environment, platform: "win32" as const };
  for (const call of [() => moveToTrash(path, options), () => detectTrash(options)]) {
    await expect(call()).rejects.toMatchObject({
      code: "TRASH_FAILED",
      hint: expect.stringContaining("--permanent"),
    });
  }
  expect(existsSync(path)).toBe(true);
});

describe("deleting a session", () => {
  function withSubagents() {
    const workspace = createWorkspace();
    const path = session({ id: "parent" }).user("hello").writeUnder(workspace.work);
    const folder = path.slice(0, -".jsonl".length);
    const worker = session({ id: "worker" })
      .user("task")
      .write(join(folder, "run-0", "worker.jsonl"));
    return { ...workspace, path, folder, worker };
  }

  test("also moves the folder of its subagents", async () => {
    const { path, folder, environment, trash } = withSubagents();
    const name = basename(folder);
    const bytes = readFileSync(path);
    expect(await deleteSession(path, { environment })).toEqual({
      path,
      to: "freedesktop trash",
      trashPath: join(trash, "files", `${name}.jsonl`),
      along: [{ path: folder, to: "freedesktop trash", trashPath: join(trash, "files", name) }],
    });
    expect([existsSync(path), existsSync(folder)]).toEqual([false, false]);
    expect(readFileSync(join(trash, "files", `${name}.jsonl`))).toEqual(bytes);
    expect(existsSync(join(trash, "files", name, "run-0", "worker.jsonl"))).toBe(true);
  });

  test("permanently leaves no files, and none in the trash", async () => {
    const { path, folder, environment, trash } = withSubagents();
    expect(await deleteSession(path, { environment, permanent: true })).toEqual({
      path,
      to: "nowhere",
      along: [{ path: folder, to: "nowhere" }],
    });
    expect([existsSync(path), existsSync(folder), existsSync(trash)]).toEqual([false, false, false]);
  });

  test.each([{ permanent: true }, { permanent: false }])(
    "as a dry run changes nothing: %j",
    async (options) => {
      const { path, worker, folder, environment } = withSubagents();
      const to = options.permanent ? "nowhere" : "freedesktop trash";
      expect(await deleteSession(path, { ...options, environment, dryRun: true })).toEqual({
        path,
        to,
        along: [{ path: folder, to }],
      });
      expect([existsSync(path), existsSync(worker), existsSync(environment.XDG_DATA_HOME as string)]).toEqual(
        [true, true, false],
      );
    },
  );

  test("includes its backups, and no other file", async () => {
    const { environment, file, work } = createWorkspace();
    const path = file("a.jsonl");
    const backups = [file("a.jsonl.bak"), file("a.jsonl.bak-2")];
    const others = ["a.jsonl.bak.txt", "b.jsonl.bak", "a.jsonl2"].map((name) => basename(file(name)));
    const { along } = await deleteSession(path, { environment });
    expect(along.map((each) => each.path).sort()).toEqual(backups);
    expect(readdirSync(work).sort()).toEqual(others.sort());
  });

  test("does not touch the folder beside a file with a custom name", async () => {
    const { work, environment, file } = createWorkspace();
    for (const name of ["src", "--home-ada-shop--", "2026-01-05"]) {
      mkdirSync(join(work, name));
      writeFileSync(join(work, name, "x"), "mine");
      const path = file(`${name}.jsonl`);
      const deleted = await deleteSession(path, { environment, permanent: true });
      expect(deleted).toEqual({ path, to: "nowhere", along: [] });
      expect(readFileSync(join(work, name, "x"), "utf8")).toBe("mine");
    }
  });

  test("leaves the session and its subagents' folder in place if one cannot be moved", async () => {
    const { path, worker, folder, environment } = withSubagents();
    writeFileSync(environment.XDG_DATA_HOME as string, "in the way");
    await expect(deleteSession(path, { environment })).rejects.toMatchObject({ code: "TRASH_FAILED" });
    expect([existsSync(path), existsSync(folder), existsSync(worker)]).toEqual([true, true, true]);
  });

  test("is rejected for anything except a file", async () => {
    const { work, environment } = createWorkspace();
    await expect(deleteSession(work, { environment, permanent: true })).rejects.toMatchObject({
      code: "BAD_OPTION",
    });
    await expect(deleteSession(join(work, "no.jsonl"), { environment })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(existsSync(work)).toBe(true);
  });
});
