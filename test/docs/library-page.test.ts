import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalIndex } from "../../library/local-index.ts";
import { QueryIndex } from "../../library/query/query-index.ts";

/** Members that are not part of `Index`, as the declarations are published. */
const INTERNAL = ["constructor", "listSummaries", "listThreads", "readNewestFiles"];

test("docs/library.md names every member of `Index`", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/library.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const members = [QueryIndex, LocalIndex]
    .flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
    .filter((name) => !INTERNAL.includes(name));
  expect(members.length).toBeGreaterThan(30);
  const isNamed = (name: string) => rows.some((row) => new RegExp(`^\\|.*\`${name}[\`(]`).test(row));
  expect(members.filter((name) => !isNamed(name))).toEqual([]);
});
