import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FINDING_CODES } from "../../query/health/diagnosis.ts";
import { type DiagnosisFacts, toFindings } from "../../query/health/findings.ts";
import { raiseLimitCommand } from "../../src/watch-limits.ts";

describe("findings", () => {
  const sound: DiagnosisFacts = {
    versions: { pidex: "1.0.0", node: "24.0.0", sqlite: "3.50.0", schema: 6, extraction: 4 },
    roots: [{ path: "/s", from: "default", state: "folder", files: 4, bytes: 4e9, folders: 100 }],
    skippedFolders: [],
    database: { path: "/c/index.db", from: "default", state: "current", leftovers: [], diskFreeBytes: 1e12 },
    openToOthers: { count: 0, first: [], roots: [] },
    watching: { folders: 100, maxWatches: 8192, maxInstances: 128, works: true },
    unknown: [],
    isHomeUnknown: false,
    notices: [],
    unreadablePaths: [],
    filesOutside: [],
  };
  const judged = (facts: Partial<DiagnosisFacts>) =>
    toFindings({ ...sound, ...facts }).map(({ level, code }) => `${level} ${code}`);
  const withDatabase = (database: Partial<DiagnosisFacts["database"]>) =>
    judged({ database: { ...sound.database, ...database } });

  test("are empty for an intact index", () => {
    expect(judged({})).toEqual([]);
  });

  test.each([
    [{ diskFreeBytes: 500e6 }, ["warning disk-full"]],
    [{ diskFreeBytes: 3e6 }, ["error disk-full"]],
    [{ folderMode: "755" }, ["warning folder-open-to-others"]],
    [{ folderMode: "1777", from: "option" }, []],
    [{ folderMode: "777", from: "option" }, ["warning folder-open-to-others"]],
    [{ folderMode: "755", from: "option" }, []],
    [{ unwritable: "EROFS" }, ["error database-unwritable"]],
    [{ state: "older" as const, schema: 1 }, ["info database-older"]],
  ])("for a database with %j", (database, codes) => {
    expect(withDatabase(database)).toEqual(codes);
  });

  test.each([
    [{ watching: { folders: 8000, maxWatches: 8192 } }, ["warning watches-too-few"]],
    [
      { watching: { folders: 1, maxWatches: 8192, works: false, reason: "ENOSPC" } },
      ["warning watching-fails"],
    ],
    [{ nodeError: "old" }, ["error node-too-old"]],
    [{ sqliteError: "no binding" }, ["error sqlite-unusable"]],
  ])("for %j", (facts, codes) => {
    expect(judged(facts)).toEqual(codes);
  });

  test.each([
    ["maxWatches" as const, "nearly reached", { folders: 8000, maxWatches: 8192 }],
    ["maxWatches" as const, "reached", { folders: 1, maxWatches: 8192, works: false }],
    ["maxInstances" as const, "reached", { folders: 1, maxInstances: 128, works: false }],
  ])("with the system's %s limit %s say how to raise it, as pidex watch does", (limit, _, watching) => {
    const [finding] = toFindings({ ...sound, watching, ...("works" in watching && { watchLimit: limit }) });
    expect(finding?.todo).toContain(raiseLimitCommand(limit, watching, watching.folders));
  });

  test("are sorted by severity", () => {
    const found = judged({
      indexing: true,
      nodeError: "old",
      watching: { folders: 8000, maxWatches: 8192 },
    });
    expect(found).toEqual(["error node-too-old", "warning watches-too-few", "info indexing"]);
  });
});

test("docs/doctor.md lists exactly the existing codes", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/doctor.md"), "utf8");
  const codes = [...text.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  expect(codes.sort()).toEqual([...FINDING_CODES].sort());
});
