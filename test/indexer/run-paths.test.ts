import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listRunPaths } from "../../indexer/run-paths.ts";
import { temporaryFolder } from "../temporary.ts";

const CALLER = "/home/eve/sessions/--shop--/2026_one.jsonl";

/** The possible session paths of a run with these recorded paths. */
const pathsOf = (sessionFile: string | null, artifact: string | null = null, caller = CALLER) =>
  listRunPaths(
    { agent: "scout", sessionFile, artifact },
    { path: caller, id: "one", parent: null, created: null },
    null,
  );

describe.skipIf(process.platform === "win32")("the session of a run may be", () => {
  test.each<[string, string | null, string | null, string[]]>([
    ["nowhere without recorded paths", null, null, []],
    ["at the recorded path", "/tmp/run.jsonl", null, ["/tmp/run.jsonl"]],
    ["at both recorded paths", "/tmp/a.jsonl", "/tmp/b.jsonl", ["/tmp/a.jsonl", "/tmp/b.jsonl"]],
    ["once, if both are the same", "/tmp/a.jsonl", "/tmp/a.jsonl", ["/tmp/a.jsonl"]],
    [
      "among the artifacts beside its caller",
      null,
      "/home/ada/sessions/--shop--/subagent-artifacts/1_scout.jsonl",
      [
        "/home/ada/sessions/--shop--/subagent-artifacts/1_scout.jsonl",
        "/home/eve/sessions/--shop--/subagent-artifacts/1_scout.jsonl",
      ],
    ],
    [
      "below the folder that is named like its caller",
      "/home/ada/sessions/--shop--/2026_one/run-0/x.jsonl",
      null,
      [
        "/home/ada/sessions/--shop--/2026_one/run-0/x.jsonl",
        "/home/eve/sessions/--shop--/2026_one/run-0/x.jsonl",
      ],
    ],
    [
      "not below a folder that is named like another session",
      "/home/ada/sessions/--shop--/2026_two/run-0/x.jsonl",
      null,
      ["/home/ada/sessions/--shop--/2026_two/run-0/x.jsonl"],
    ],
    [
      "beside its caller, recorded on Windows",
      "C:\\Users\\ada\\--shop--\\2026_one\\run-0\\x.jsonl",
      null,
      [
        "C:\\Users\\ada\\--shop--\\2026_one\\run-0\\x.jsonl",
        "/home/eve/sessions/--shop--/2026_one/run-0/x.jsonl",
      ],
    ],
    [
      "below the innermost of such folders",
      "/a/subagent-artifacts/b/subagent-artifacts/x.jsonl",
      null,
      [
        "/a/subagent-artifacts/b/subagent-artifacts/x.jsonl",
        "/home/eve/sessions/--shop--/subagent-artifacts/x.jsonl",
      ],
    ],
    [
      "not in a file that has a folder's name",
      "/home/ada/subagent-artifacts",
      null,
      ["/home/ada/subagent-artifacts"],
    ],
  ])("%s", (_, sessionFile, artifact, expected) => {
    expect(pathsOf(sessionFile, artifact)).toEqual(expected);
  });

  test("beside its caller, if the caller is a run itself", () => {
    const recorded = "/home/ada/shop/subagent-artifacts/y.jsonl";
    const caller = "/home/eve/sessions/--shop--/subagent-artifacts/x.jsonl";
    expect(pathsOf(recorded, null, caller)).toContain(
      "/home/eve/sessions/--shop--/subagent-artifacts/y.jsonl",
    );
  });

  test("in the folder of the session that its caller was forked from, if that session called it", () => {
    const recorded = "/home/ada/shop/2026_zero/run-0/x.jsonl";
    const caller = { path: CALLER, id: "one", parent: "/home/ada/shop/2026_zero.jsonl", created: 1000 };
    const run = { agent: "scout", sessionFile: recorded, artifact: null };
    const moved = "/home/eve/sessions/--shop--/2026_zero/run-0/x.jsonl";
    expect(listRunPaths(run, caller, 999)).toEqual([recorded, moved]);
    expect(listRunPaths(run, caller, 1000)).toEqual([recorded]);
  });

  test("only at the recorded path, if the caller was not moved", () => {
    const artifact = "/home/eve/sessions/--shop--/subagent-artifacts/x.jsonl";
    expect(pathsOf(null, artifact)).toEqual([artifact]);
  });
});

test("an overlong path is ignored", () => {
  for (const parts of [10_000, 200_000]) {
    expect(pathsOf(`/${"a/".repeat(parts)}x.jsonl`)).toEqual([]);
    expect(pathsOf(`/subagent-artifacts/${"a/".repeat(parts)}x.jsonl`)).toEqual([]);
  }
});

describe.skipIf(process.platform === "win32")("links are resolved", () => {
  /** The folders that are searched for a run of a session. */
  const searchedFolders = (sessionFile: string, path = CALLER) => {
    const known = new Map<string, string | null>();
    const run = { agent: "scout", sessionFile, artifact: null };
    listRunPaths(run, { path, id: "one", parent: null, created: null }, null, known);
    return [...known.keys()];
  };

  test("not outside the session's part of the disk, where a network mount may not respond", () => {
    expect(searchedFolders("/mnt/nas/sessions/x.jsonl").filter((path) => path.startsWith("/mnt"))).toEqual(
      [],
    );
    expect(searchedFolders("//nas/sessions/x.jsonl").filter((path) => path.startsWith("/nas"))).toEqual([]);
    expect(searchedFolders(join(homedir(), "far/x.jsonl"))).toContain(join(homedir(), "far"));
  });

  test("only once for a missing folder, and not below it", () => {
    const folder = temporaryFolder();
    const searched = searchedFolders(`${folder}/gone/${"a/".repeat(1000)}x.jsonl`, join(folder, "a.jsonl"));
    expect(searched.filter((path) => path.startsWith(`${folder}/`))).toEqual([`${folder}/gone`]);
  });
});

test("lone surrogates are replaced, as in SQLite, so that equal paths are one row", () => {
  expect(pathsOf("/tmp/\ud800", "/tmp/\ud801")).toEqual(["/tmp/\ufffd"]);
});

test("the runs of a moved tree of sessions are found in it", () => {
  const name = fc.stringMatching(/^r[a-z0-9_-]{0,8}$/);
  const folder = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`);
  fc.assert(
    fc.property(folder, folder, name, fc.boolean(), (from, to, run, isArtifact) => {
      const inside = isArtifact ? ["subagent-artifacts", `${run}.jsonl`] : ["caller", run, "x.jsonl"];
      const recorded = [from, ...inside].join("/");
      const paths = pathsOf(recorded, null, join(to, "caller.jsonl"));
      expect(paths).toContain(recorded);
      expect(paths).toContain(join(to, ...inside));
      expect(new Set(paths).size).toBe(paths.length);
    }),
  );
});
