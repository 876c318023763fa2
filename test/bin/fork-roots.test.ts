/**
 * Where forks are written, and files are moved, if `--root` is the session folder: always inside it, whatever a header
 * contains.
 */
import { existsSync, mkdirSync, readdirSync, realpathSync, utimesSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { toProjectFolderName } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { pidexAt } from "./cli.ts";

const SHOP = "/home/ada/shop";
const NAME = "2026-01-05T09-00-00-000Z_019b8d40-0000-7000-8000-00000000000a";

let folder = "";
beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  vi.stubEnv("PI_CODING_AGENT_DIR", join(folder, "agent")); // must stay unwritten too
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** All files below the folder except the index. */
function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.name.startsWith("index.db"))
    .map((file) => join(file.parentPath, file.name));
}

function put(path: string, cwd: string): string {
  session({ id: "one", cwd }).user("Why?").assistant("So.").write(path);
  utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05")); // old, so that the session does not look active
  return path;
}

/** Forks the session in a root. @returns the new file */
async function forked(root: string, more: string[]): Promise<string> {
  const before = files();
  const { exit, err } = await pidexAt(root, folder)(["fork", "one", ...more]);
  expect([exit, err]).toEqual([0, ""]);
  const created = files().filter((path) => !before.includes(path));
  expect(created).toHaveLength(1);
  return created[0] as string;
}

const PLACES = {
  "a project's folder": [toProjectFolderName(SHOP), `${NAME}.jsonl`],
  "no folder of a project": [`${NAME}.jsonl`],
  "a subagent's folder": [toProjectFolderName(SHOP), NAME, "run", "run-1.jsonl"],
  "subagent-artifacts": ["subagent-artifacts", "run", "run-1.jsonl"],
  "folders that belong to no agent": ["a", "b", "c", "d.jsonl"],
};

describe.each(Object.entries(PLACES))("the fork of a session in %s is inside the root", (_, place) => {
  test.each([
    ["", SHOP],
    ["with the header of another folder", "/home/eve"],
    ["with a hostile header", "/home/ada/../../etc"],
    ["with the root itself as its folder", "/"],
  ])("%s", async (_, cwd) => {
    const root = join(folder, "sessions");
    put(join(root, ...place), cwd);
    expect(await forked(root, [])).toSatisfy((path: string) => path.startsWith(root + sep));
    expect(await forked(root, ["--cwd", "/home/ada/blog"])).toSatisfy((path: string) =>
      path.startsWith(root + sep),
    );
  });
});

test("a subagent session is forked into the project's folder in the root", async () => {
  const root = join(folder, "sessions");
  put(join(root, "subagent-artifacts", "run", "run-1.jsonl"), SHOP);
  expect(dirname(await forked(root, []))).toBe(join(root, toProjectFolderName(SHOP)));
});

test("a folder above the root is not used as a project's folder", async () => {
  const above = join(folder, toProjectFolderName(SHOP));
  const root = join(above, "sessions");
  put(join(root, "a.jsonl"), SHOP);
  expect(dirname(await forked(root, ["--cwd", "/home/ada/blog"]))).toBe(root);
  expect(readdirSync(folder)).not.toContain(toProjectFolderName("/home/ada/blog"));
});

describe("if the root is a project's folder", () => {
  let root = "";
  beforeEach(() => {
    root = join(folder, toProjectFolderName(SHOP));
    put(join(root, `${NAME}.jsonl`), SHOP);
  });

  test("a fork for another folder is refused, because pi would list it under this project", async () => {
    const before = files();
    const { exit, err } = await pidexAt(root, folder)(["fork", "one", "--cwd", "/home/ada/blog"]);
    expect([exit, err]).toEqual([
      expect.toSatisfy((code) => code !== 0),
      expect.stringMatching(/is outside the session folders: nothing was written\n.*--root/),
    ]);
    expect(files()).toEqual(before);
  });

  test("a move to another folder is refused, with a hint", async () => {
    const before = files();
    const { exit, err } = await pidexAt(root, folder)(["move", "one", "/home/ada/blog"]);
    expect([exit, err]).toEqual([
      expect.toSatisfy((code) => code !== 0),
      expect.stringMatching(/is outside the session folders: nothing was written\n.*--root/),
    ]);
    expect(files()).toEqual(before);
    expect(existsSync(join(folder, toProjectFolderName("/home/ada/blog")))).toBe(false);
    mkdirSync(join(folder, "other"));
    const both = pidexAt(folder, folder);
    expect(await both(["move", "one", "/home/ada/blog"])).toMatchObject({ exit: 0 });
  });
});
