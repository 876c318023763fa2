import { expect, test } from "vitest";
import { countCalls } from "../../../bin/format/call-counts.ts";
import { formatCallList, type NamedCall, summarizeCalls } from "../../../bin/format/call-files.ts";

const results = (tools: Record<string, number>, failed?: true) =>
  Object.entries(tools).flatMap(([tool, count]) =>
    Array.from({ length: count }, () => ({ role: "toolResult", tool, ...(failed && { failed }) })),
  );
const use = (tool: string, kind: "read" | "edit", ...files: string[]): NamedCall[] =>
  files.map((about) => ({ tool, about, use: kind }));

test("changed files are named first, many files that are read are counted, failures are last", () => {
  const counts = countCalls([...results({ read: 4, edit: 3, bash: 2 }), ...results({ bash: 1 }, true)]);
  const calls = [
    ...use("read", "read", "a.ts", "b.ts", "src/c.ts", "a.ts"),
    ...use("edit", "edit", "src/till.ts", "sales.ts", "src/till.ts"),
    { tool: "bash", about: "ls" },
  ];
  expect(summarizeCalls(counts, calls).segments).toEqual([
    { tool: "edit", count: "3", failed: false, files: ["till.ts", "sales.ts"], moreFiles: 0 },
    { tool: "read", count: "4", failed: false, files: [], moreFiles: 3 },
    { tool: "bash", count: "2", failed: false },
    { tool: "bash", count: "1", failed: true },
  ]);
});

test("until the calls have loaded, and for tools that are no files', calls are counted", () => {
  const counts = countCalls(results({ read: 2, constructor: 1 }));
  const counted = [
    { tool: "read", count: "2", failed: false },
    { tool: "constructor", count: "1", failed: false },
  ];
  expect(summarizeCalls(counts, undefined)).toEqual({ segments: counted, others: undefined });
  const calls: NamedCall[] = [...use("read", "read", "a.ts"), { tool: "read", about: "{}" }];
  expect(summarizeCalls(counts, calls).segments).toEqual(counted);
});

test("a file that many changed is named with the number of the others", () => {
  const files = ["a", "b", "c", "d", "e", "f"];
  const [segment] = summarizeCalls(
    countCalls(results({ write: 6 })),
    use("write", "edit", ...files),
  ).segments;
  expect(segment).toMatchObject({ files: ["a", "b", "c", "d"], moreFiles: 2 });
});

test("a list of calls says how many it leaves out", () => {
  const lines = formatCallList(Array.from({ length: 45 }, (_, n) => ({ tool: "bash", about: `make ${n}` })));
  expect(lines.split("\n")).toHaveLength(41);
  expect(lines).toMatch(/^bash make 0\n[\s\S]*\n… 5 more$/);
});
