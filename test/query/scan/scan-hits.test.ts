import { closeSync, openSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type {
  Index,
  ScanControl,
  ScanHit,
  ScanOptions,
  ScanPattern,
  ScanProgress,
} from "../../../library/index.ts";
import { collect, failure, indexed } from "../opened-queries.ts";

const parent = () =>
  session({ id: "parent", timestamp: "2026-01-01T00:00:00.000Z" })
    .user("call a.b(c) twice")
    .assistant("a.b(c) fails")
    .bash("run a.b(c)", "a.b(c): no such thing", { exitCode: 1 });

const found = async (index: Index, pattern: ScanPattern, options?: ScanOptions & ScanControl) =>
  (await collect<ScanHit>(index.scan(pattern, options))).map(({ sessionId, line }) => `${sessionId}:${line}`);

test("an entry copied by forks is reported once, with its other locations", async () => {
  const original = parent();
  const fork = original.fork({ id: "fork", timestamp: "2026-02-01T00:00:00.000Z" }).user("and a.b(c) here");
  const { index } = await indexed(original, fork);
  const hits = await collect(index.scan({ substring: "a.b(c)" }));
  expect(hits).toHaveLength(4);
  for (const { line, sessionId, alsoIn } of hits) {
    const elsewhere = sessionId === "fork" ? "parent" : "fork";
    expect(alsoIn.map((place) => `${place.sessionId}:${place.line}`)).toEqual(
      line === 5 ? [] : [`${elsewhere}:${line}`],
    );
  }
});

test("a query and filters narrow a scan", async () => {
  const { index } = await indexed(parent(), session({ id: "other", cwd: "/home/ada/blog" }).user("a.b(c)"));
  expect(await found(index, { substring: "a.b(" })).toHaveLength(4);
  expect(await found(index, { substring: "a.b(" }, { query: "fails" })).toEqual(["parent:3"]);
  expect(await found(index, { substring: "a.b(" }, { query: "is:error" })).toEqual(["parent:4"]);
  expect(await found(index, { substring: "a.b(" }, { query: "-fails role:user,assistant" })).toHaveLength(2);
  expect(await found(index, { regex: "a\\.b\\(" }, { role: "user", project: "blog" })).toEqual(["other:2"]);
  expect(await found(index, { substring: "a.b(" }, { until: "2026-01-01T00:00:01Z" })).toEqual([]);
  expect(await found(index, { substring: "a.b(" }, { limit: 2 })).toHaveLength(2);
});

test("ending a scan early closes its files: a loop that breaks, and the limit", async () => {
  const { index, path } = await indexed(parent(), session({ id: "other" }).user("a.b(c)"));
  const lowestFree = () => {
    const fd = openSync(path, "r");
    closeSync(fd);
    return fd;
  };
  const before = lowestFree();
  for await (const hit of index.scan({ substring: "a.b(" })) {
    expect(hit.line).toBe(2);
    expect(lowestFree()).toBeGreaterThan(before);
    break;
  }
  expect(lowestFree()).toBe(before);
  await found(index, { substring: "a.b(" }, { limit: 1 });
  expect(lowestFree()).toBe(before);
});

test("a limit ends the scan early, and changed files found until then are reported", async () => {
  const at = (id: string, month: number) =>
    session({ id, timestamp: `2026-0${month}-01T00:00:00.000Z` })
      .user("a.b(c)")
      .assistant("a.b(c)");
  const { index, paths } = await indexed(at("old", 1), at("middle", 2), at("new", 3));
  rmSync(paths[2] as string);
  rmSync(paths[0] as string);
  const reported: ScanProgress[] = [];
  const hits: string[] = [];
  const scanning = index.scan(
    { substring: "a.b(" },
    { limit: 1, onProgress: (progress) => reported.push(progress) },
  );
  for (let next = await scanning.next(); ; next = await scanning.next()) {
    if (!next.done) hits.push(`${next.value.sessionId}:${next.value.line}`);
    else {
      expect(next.value).toEqual({ changedFiles: [paths[2]] });
      break;
    }
  }
  expect(hits).toEqual(["middle:2"]);
  expect(reported.at(-1)).toMatchObject({ files: 3, filesDone: 1 });
});

test.each<[string, unknown]>([
  ["nothing", {}],
  ["no pattern", undefined],
  ["a text by itself", "x"],
  ["a number", { substring: 5 }],
  ["both at once", { substring: "x", regex: "x" }],
  ["case that is neither", { substring: "a.b(", caseSensitive: "no" }],
  ["what it does not know", { regex: "a", flags: "i" }],
])("an invalid pattern is rejected: %s", async (_, pattern) => {
  const { index } = await indexed(parent());
  const error = await failure(found(index, pattern as ScanPattern));
  expect(error).toMatchObject({
    code: "BAD_OPTION",
    message: expect.stringMatching(/substring.*regex|flags/),
  });
});

test("one of the two may be undefined", async () => {
  const { index } = await indexed(parent());
  expect(await found(index, { substring: undefined, regex: "no such" })).toEqual(["parent:4"]);
  expect(
    await found(index, { substring: "no such", regex: undefined, caseSensitive: undefined }),
  ).toHaveLength(1);
});

test("a scan reports progress and can be aborted", async () => {
  const { index } = await indexed(parent());
  const progress: number[] = [];
  await found(index, { substring: "a.b(" }, { onProgress: ({ bytesDone }) => progress.push(bytesDone) });
  expect(progress.at(-1)).toBeGreaterThan(0);
  const reason = new Error("enough");
  const stopped = found(index, { substring: "a.b(" }, { signal: AbortSignal.abort(reason) });
  await expect(stopped).rejects.toBe(reason);
});

test("an invalid query is rejected as in a search", async () => {
  const { index } = await indexed(parent());
  for (const query of ["(a", "is:broken", "-a"]) {
    expect((await failure(found(index, { substring: "x" }, { query }))).code).toBe("BAD_QUERY");
  }
  expect((await failure(found(index, { substring: "x" }, { limit: 0 }))).code).toBe("BAD_OPTION");
});
