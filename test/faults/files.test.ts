/** Faults of files: their types, their names, and changes behind the index. */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Session } from "../../fixtures/builder.ts";
import { encodePath } from "../../src/path-bytes.ts";
import { findMostRecentSession, findSessionFile } from "../../src/session/writing/find-sessions.ts";
import { age } from "../indexer/synced.ts";
import {
  broken,
  collectFaults,
  expectReported,
  type Fault,
  type FaultTarget,
  type Json,
} from "./run-faults.ts";

const { add, run } = collectFaults();
const isLinux = process.platform === "linux";

const whole = ({ id }: { id: string }): Session =>
  broken({ id }).user("said before").user("It was so.").assistant("said after");
/** Other bytes of the same size. */
const other = (at: FaultTarget): string => whole(at).text().replace("It was so.", "It is other");

const createdBy = (make: (at: FaultTarget) => unknown, code?: string): Fault => ({
  make: async (at) => {
    await make(at);
    return undefined;
  },
  ...(code !== undefined && { problems: [[code, 0]] }),
});
const kinds = add({
  "a pipe": createdBy(({ path }) => execFileSync("mkfifo", [path]), "not_a_file"),
  "a socket": createdBy(async ({ path }) => {
    const server = createServer();
    server.unref();
    await once(server.listen(path), "listening");
  }, "not_a_file"),
  "a link to a device": createdBy(({ path }) => symlinkSync("/dev/zero", path), "not_a_file"),
  "a link to nothing": createdBy(({ path }) => symlinkSync("nowhere.jsonl", path), "unreadable"),
  "a link to itself": createdBy(({ path }) => symlinkSync(path, path), "unreadable"),
  "two links to each other": createdBy(({ path }) => {
    symlinkSync(`${path}.other`, path);
    symlinkSync(path, `${path}.other`);
  }, "unreadable"),
  "a link below a file": createdBy(({ path, root }) => {
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "file", "x"), path);
  }, "unreadable"),
  "a folder": createdBy((at) => whole(at).write(join(at.path, "inside.jsonl"))),
  "a link to the folder it is in": createdBy(({ path }) => symlinkSync(".", path)),
  "a link to the root": createdBy(({ path, root }) => symlinkSync(root, path)),
  "a device": createdBy(({ path }) => {
    // Without permission for mknod, a link to a device takes its place.
    if (spawnSync("mknod", [path, "c", "1", "5"]).status !== 0) symlinkSync("/dev/zero", path);
  }, "not_a_file"),
  "a pipe in place of a session": {
    setUp: whole,
    make: ({ path }) => {
      rmSync(path);
      execFileSync("mkfifo", [path]);
      return undefined;
    },
    problems: [["not_a_file", 0]],
  },
  "a dangling link in place of a session": {
    setUp: whole,
    make: ({ path }) => {
      rmSync(path);
      symlinkSync("gone", path);
      return undefined;
    },
    problems: [["unreadable", 0]],
  },
  "a folder in place of a session": {
    setUp: whole,
    make: ({ path }) => {
      rmSync(path);
      mkdirSync(path);
      return undefined;
    },
  },
});

describe("a session name that is not a regular file is reported once and never opened:", () => {
  const { names, getResult } = kinds;

  test.each(names)("%s", (name) => expectReported(getResult(name)));
});

test("a file that is not a session does not prevent resuming others", () => {
  const folder = dirname(kinds.getResult("a pipe").at.path);
  expect(findMostRecentSession(folder, "/home/ada/broken")).toMatch(/\.jsonl$/);
  expect(findSessionFile(folder, "older", "/home/ada/broken")).toContain("older");
});

describe("a session may have any name:", () => {
  const named = (name: string): Fault => ({ name, make: whole, entries: 3 });
  const { names, getResult } = add({
    "with newlines": named("two\nlines\r\n.jsonl"),
    "of 255 bytes": named(`${"x".repeat(255 - 6)}.jsonl`),
    "of emoji": named("🎈👩‍👩‍👧.jsonl"),
    "with half of a composed character": named("e\u0301.jsonl"),
    "that looks like an option": named("--json.jsonl"),
    "that looks like SQL and shell": named("'; DROP TABLE file; -- $(rm x) %s *.jsonl"),
    "of only the extension": named(".jsonl"),
    "that terminals obey": named("\x1b[31m\x07\u202e.jsonl"),
  });

  test.each(names)("%s", (name) => expectReported(getResult(name)));

  const { getResult: getBadlyNamed } = add({
    "that is not UTF-8": {
      name: "bad-\u{10feff}\u{10fefe}.jsonl",
      make: (at) => {
        if (isLinux) writeFileSync(encodePath(at.path), whole(at).text());
        return undefined;
      },
      entries: 3,
    },
  });
  test.runIf(isLinux)("that is not UTF-8", () => expectReported(getBadlyNamed("that is not UTF-8")));
});

describe("a change to a file is detected:", () => {
  /** Restores the times of the file after a change. */
  const unseen = (change: (at: FaultTarget) => void) => (at: FaultTarget) => {
    const { atimeNs, mtimeNs } = statSync(at.path, { bigint: true });
    change(at);
    utimesSync(at.path, Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
    return undefined;
  };
  /** A file with old times, so that only its bytes show a change. */
  const old = (at: FaultTarget): undefined => {
    age(whole(at).write(at.path));
  };
  const changed = (make: (at: FaultTarget) => unknown, rest: Partial<Fault> = {}): Fault => ({
    setUp: old,
    make: (at) => {
      make(at);
      return undefined;
    },
    entries: 3,
    ...rest,
  });
  /** Writes a new file with the inode of a deleted one, if the file system reuses it. */
  const withInodeOf = (gone: string, path: string, bytes: string): boolean => {
    const { ino } = statSync(gone);
    rmSync(gone);
    for (let n = 0; n < 100; n++) {
      const tried = `${gone}.${n}`;
      writeFileSync(tried, bytes);
      if (statSync(tried).ino !== ino && n < 99) continue;
      renameSync(tried, path);
      break;
    }
    for (let n = 0; n < 100; n++) rmSync(`${gone}.${n}`, { force: true });
    return statSync(path).ino === ino;
  };
  const longer = (at: FaultTarget) => `${other(at)}${whole(at).user("And more.").lines.at(-1)}\n`;

  const { names, getResult } = add({
    "other bytes with the same size and mtime": changed(unseen((at) => writeFileSync(at.path, other(at)))),
    "replaced by a file with the same size and mtime": changed(
      unseen((at) => {
        writeFileSync(`${at.path}.new`, other(at));
        renameSync(`${at.path}.new`, at.path);
      }),
    ),
    "another file in its inode, with the same size and mtime": changed(
      unseen((at) => withInodeOf(at.path, at.path, other(at))),
    ),
    "another file in its inode, longer": changed((at) => withInodeOf(at.path, at.path, longer(at)), {
      entries: 4,
    }),
    "grown, and its beginning changed": changed((at) => writeFileSync(at.path, longer(at)), { entries: 4 }),
    "grown, with another last line": changed((at) =>
      writeFileSync(at.path, whole(at).text().replace("said after", "It is longer, and said after")),
    ),
    "shrunk by a line, and grown by another": changed(
      (at) => {
        truncateSync(
          at.path,
          whole(at).text().lastIndexOf("{", whole(at).text().lastIndexOf('{"type":"message"')),
        );
        writeFileSync(at.path, `${whole(at).user("more").lines.at(-1)}\n${whole(at).lines[3]}\n`, {
          flag: "a",
        });
      },
      { entries: 4 },
    ),
    "an mtime in the year 2100": changed(({ path }) => utimesSync(path, 4_102_444_800, 4_102_444_800)),
    "an mtime before 1970": changed(({ path }) => utimesSync(path, -86_400, -86_400)),
    "deleted, and created again": changed((at) => {
      rmSync(at.path);
      writeFileSync(at.path, whole(at).text());
    }),
  });

  test.each(names)("%s", (name) => {
    expectReported(getResult(name));
    const { shown, at } = getResult(name);
    const text = JSON.stringify(shown);
    for (const { type, id } of shown.map(({ entry }: Json) => entry))
      expect(readFileSync(at.path, "utf8")).toContain(`${type}","id":"${id}`);
    expect(text.includes("It was so.")).toBe(readFileSync(at.path, "utf8").includes("It was so."));
  });

  const shrunk = add({
    "to a complete line": {
      setUp: whole,
      make: (at) =>
        whole(at)
          .lines.slice(0, 2)
          .map((line) => `${line}\n`)
          .join(""),
      entries: 1,
    },
    "into a line": {
      setUp: whole,
      make: (at) => whole(at).text().slice(0, -100),
      problems: [["torn_line", '"message"']],
      entries: 2,
    },
    "to nothing": { setUp: whole, make: () => "" },
    "to a part of its header": {
      setUp: whole,
      make: () => '{"type":"sess',
      problems: [["torn_line", 0]],
    },
  });

  test.each(shrunk.names)("shrunk, %s", (name) => {
    const { problems, entries, fault, at } = shrunk.getResult(name);
    const torn = readFileSync(at.path).lastIndexOf("\n") + 1;
    const expected = (fault.problems ?? []).map(([code]) => [code, torn]);
    expect([problems, entries]).toEqual([
      [expected, expected],
      [fault.entries, fault.entries],
    ]);
  });

  const gone = add({
    "deleted, and its inode reused by another session": {
      setUp: old,
      make: (at) => {
        withInodeOf(at.path, join(at.root, "inherits.jsonl"), whole({ id: "inherits" }).text());
        return undefined;
      },
    },
    "two names of one file": {
      setUp: old,
      make: (at) => {
        linkSync(at.path, join(at.root, "second.jsonl"));
        return undefined;
      },
      entries: 3,
    },
    "renamed, and another file in its place": {
      setUp: old,
      make: (at) => {
        renameSync(at.path, join(at.root, "renamed.jsonl"));
        return other(at);
      },
      entries: 3,
    },
  });

  test("deleted, and its inode reused by another session: no rows are mixed up", async () => {
    const name = "deleted, and its inode reused by another session";
    expect(existsSync(gone.getResult(name).at.path)).toBe(false);
    expect(gone.getResult(name).entries).toEqual([undefined, undefined]);
    const { entries } = await run("show", "inherits", "--all");
    expect(entries).toHaveLength(3);
  });

  test("two names of one file are two sessions with the cost of one", async () => {
    const { entries, at } = gone.getResult("two names of one file");
    expect(entries).toEqual([3, 3]);
    const both = [at.path, join(at.root, "second.jsonl")];
    const { usage } = await run("usage", "session", "--limit", "1000");
    const costs = usage.rows
      .filter(({ key }: Json) => both.includes(key.session))
      .map(({ costUsd }: Json) => costUsd);
    expect(costs.filter((cost: number) => cost > 0)).toHaveLength(1);
  });

  test("renamed, and another file in its place: each has the content of its file", async () => {
    const { at, shown } = gone.getResult("renamed, and another file in its place");
    expect(JSON.stringify(shown)).toContain("It is other");
    expect(JSON.stringify(await run("show", join(at.root, "renamed.jsonl"), "--all"))).toContain(
      "It was so.",
    );
  });
});
