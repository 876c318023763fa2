import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { QueryHistory } from "../../../bin/picker/query-history.ts";
import { StoredQueries, storedQueriesPath } from "../../../bin/picker/stored-queries.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME } from "../cli.ts";

const newPath = () => join(temporaryFolder(), "new", "queries.json");

test("the file is in the data folder", () => {
  expect(storedQueriesPath({ XDG_DATA_HOME: "/data", HOME: "/h" })).toBe("/data/pidex/queries.json");
});

test("each query is kept once, the last one last, and the number of queries is limited", () => {
  const path = newPath();
  const queries = new StoredQueries(path, true);
  for (const query of ["a", "b", " a ", "", "x".repeat(5000)]) queries.remember(query);
  expect(queries.history).toEqual(["b", "a"]);
  for (let n = 0; n < 510; n++) queries.remember(`query ${n}`);
  expect(queries.history).toHaveLength(500);
  expect(queries.history.at(-1)).toBe("query 509");
  expect(readdirSync(join(path, ".."))).toEqual(["queries.json"]); // no temporary files
});

test("two pickers add to the same file", () => {
  const path = newPath();
  const [one, other] = [new StoredQueries(path, true), new StoredQueries(path, true)];
  one.remember("one");
  other.remember("other");
  other.save({ name: "b", query: "is:error" });
  one.save({ name: "a", query: "role:user" });
  one.save({ name: "b", query: "is:pinned" });
  expect(one.history).toEqual(["one", "other"]);
  expect(other.searches).toEqual([
    { name: "a", query: "role:user" },
    { name: "b", query: "is:pinned" },
  ]);
  other.remove("a");
  expect(one.searches).toEqual([{ name: "b", query: "is:pinned" }]);
});

/** Each process adds queries and saves searches of its own. */
const WRITER = (name: string, path: string) => `
  import { StoredQueries } from ${JSON.stringify(pathToFileURL(join(HOME, "bin/picker/stored-queries.ts")).href)};
  const queries = new StoredQueries(${JSON.stringify(path)}, true);
  for (let n = 0; n < 40; n++) {
    queries.remember("${name} " + n);
    queries.save({ name: "${name} " + n, query: "tax" });
  }
`;

test("two pickers that write at the same time lose nothing", async () => {
  const path = newPath();
  const write = (name: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", WRITER(name, path)]);
  await Promise.all([write("one"), write("other")]);
  const queries = new StoredQueries(path, true);
  const expected = ["one", "other"].flatMap((name) => Array.from({ length: 40 }, (_, n) => `${name} ${n}`));
  expect(queries.history.toSorted()).toEqual(expected.toSorted());
  expect(queries.searches.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  expect(readdirSync(join(path, ".."))).toEqual(["queries.json"]);
});

test("a damaged file is reported and not overwritten", () => {
  const path = newPath();
  const queries = new StoredQueries(path, true);
  queries.remember("a");
  writeFileSync(path, "{ damaged");
  queries.remember("b");
  expect([queries.history, queries.searches]).toEqual([[], []]);
  expect(() => queries.save({ name: "a", query: "b" })).toThrow(/cannot read .*queries\.json/);
  expect(readFileSync(path, "utf8")).toBe("{ damaged");
  writeFileSync(
    path,
    '{ "history": ["a", 3], "searches": [null, { "name": "n", "query": "q" }, { "name": 1 }] }',
  );
  expect([queries.history, queries.searches]).toEqual([["a"], [{ name: "n", query: "q" }]]);
});

test("the history goes back and forth, and ends with what was typed", () => {
  const history = new QueryHistory(() => ["a", "b", "c"]);
  expect(history.newer("x")).toBeUndefined();
  expect(history.older("x")).toBe("c");
  expect(history.isRecalled("c")).toBe(true);
  expect(history.older("c")).toBe("b");
  expect(history.older("b")).toBe("a");
  expect(history.older("a")).toBeUndefined();
  expect(history.newer("a")).toBe("b");
  expect(history.newer("b")).toBe("c");
  expect(history.newer("c")).toBe("x");
  expect(history.older("x")).toBe("c");
  expect(history.older("edited")).toBe("c"); // an edited query starts again from the end
  expect(history.older("c")).toBe("b");
  expect(new QueryHistory(() => ["a", "b"]).older("b")).toBe("a"); // not the same one again
  expect(new QueryHistory(() => []).older("")).toBeUndefined();
});
