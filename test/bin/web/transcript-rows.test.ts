import { expect, test } from "vitest";
import type { OutlineAnswer } from "../../../bin/web/api/session-answers.ts";
import { BranchRows } from "../../../bin/web/page/session/branch-rows.ts";
import { SessionTree } from "../../../bin/web/page/session/session-tree.ts";
import {
  type CallGroup,
  countByFilter,
  countGroupCalls,
  type Filter,
  TranscriptRows,
} from "../../../bin/web/page/session/transcript-rows.ts";

type Kind = OutlineAnswer["kinds"][number];

const message = (role: string, more: Partial<Kind> = {}): Kind => ({
  type: "message",
  role,
  word: role,
  ...more,
});
const PROMPT = message("user", { hasText: true });
const ANSWER = message("assistant", { hasText: true });
const CALL = message("assistant");
const result = (tool: string, more: Partial<Kind> = {}) => message("toolResult", { tool, ...more });
const FAILED = { failed: true } as const;

/** A branch with entries of these kinds, one after the other. */
function branchOf(...kinds: Kind[]): BranchRows {
  const count = kinds.length;
  const each = (value: number) => kinds.map(() => value);
  const tree = new SessionTree({
    ...{ from: 0, count, mark: "", kinds, kind: kinds.map((_, n) => n) },
    ...{ line: each(1), up: kinds.map((_, n) => Number(n > 0)), time: each(1) },
    ...{ cost: each(0), ends: [[count - 1, "end"]], labels: [], runs: [] },
  });
  return new BranchRows(tree, count - 1);
}

/** Rows as text: the first kind of a message, and the messages of a group. */
function rowsOf(
  branch: BranchRows,
  { filter = "all" as Filter, open = [] as number[], alone = [] as number[] } = {},
) {
  const rows = new TranscriptRows(branch, {
    filter,
    isOpen: (_, { first }) => open.includes(first),
    standsAlone: (message) => alone.includes(message),
  });
  const texts = Array.from({ length: rows.count }, (_, row) => {
    const group = rows.group(row);
    if (group) return `${group.first}-${group.last}${group.isOpen ? " open" : ""}`;
    return `${rows.message(row)} ${branch.kind(rows.message(row))?.role}`;
  });
  return { rows, texts };
}

const WORK = [
  PROMPT,
  ANSWER,
  result("read"),
  CALL,
  result("read"),
  CALL,
  result("bash", FAILED),
  CALL,
  result("edit"),
  ANSWER,
];

test("consecutive messages of calls alone are one row; its messages follow if it is open", () => {
  const branch = branchOf(...WORK);
  expect(rowsOf(branch).texts).toEqual(["0 user", "1 assistant", "2-4", "5 assistant"]);
  expect(rowsOf(branch, { open: [2] }).texts).toEqual([
    "0 user",
    "1 assistant",
    "2-4 open",
    ...["2 assistant", "3 assistant", "4 assistant"],
    "5 assistant",
  ]);
});

test("a single message of calls, one with a label or a branch, and one that failed are rows of their own", () => {
  expect(rowsOf(branchOf(PROMPT, CALL, result("read"), PROMPT)).texts).toEqual([
    "0 user",
    "1 assistant",
    "2 user",
  ]);
  expect(rowsOf(branchOf(...WORK), { alone: [3] }).texts).toEqual([
    "0 user",
    ...["1 assistant", "2 assistant", "3 assistant", "4 assistant", "5 assistant"],
  ]);
  const failed = branchOf(CALL, result("read"), message("assistant", FAILED), CALL, result("read"));
  expect(rowsOf(failed).texts).toEqual(["0 assistant", "1 assistant", "2 assistant"]);
});

test("a group counts its calls by tool, failed ones apart and last", () => {
  const branch = branchOf(CALL, result("bash", FAILED), result("edit"), CALL, result("read"), result("read"));
  expect(countGroupCalls(branch, { first: 0, last: 1 } satisfies CallGroup)).toEqual({
    total: 4,
    each: [
      { tool: "read", failed: false, count: 2 },
      { tool: "edit", failed: false, count: 1 },
      { tool: "bash", failed: true, count: 1 },
    ],
  });
});

test("a filter selects from all messages, without groups", () => {
  const branch = branchOf(...WORK);
  expect(rowsOf(branch, { filter: "prompts" }).texts).toEqual(["0 user"]);
  expect(rowsOf(branch, { filter: "conversation" }).texts).toEqual(["0 user", "1 assistant", "5 assistant"]);
  expect(rowsOf(branch, { filter: "errors" }).texts).toEqual(["3 assistant"]);
  expect(rowsOf(branch, { filter: "edits" }).texts).toEqual(["4 assistant"]);
});

test("a message's row is found in a closed and in an open group; keys differ from those of messages", () => {
  const branch = branchOf(...WORK);
  const { rows: closed } = rowsOf(branch);
  const { rows: open } = rowsOf(branch, { open: [2] });
  expect([2, 3, 4, 5].map((each) => closed.findRow(each))).toEqual([2, 2, 2, 3]);
  expect([2, 3, 4, 5].map((each) => open.findRow(each))).toEqual([3, 4, 5, 6]);
  expect(closed.findGroup(3)).toEqual({ first: 2, last: 4 });
  const grouped = (rows: typeof open) => Array.from({ length: rows.count }, (_, row) => rows.isGrouped(row));
  expect(grouped(closed)).not.toContain(true);
  // The heading is not indented, nor what follows the group.
  expect(grouped(open)).toEqual([false, false, false, true, true, true, false]);
  expect(closed.key(2)).toBe(open.key(2));
  expect(new Set(Array.from({ length: open.count }, (_, row) => open.key(row))).size).toBe(open.count);
});

test("entries from a position on are counted once, whether their group is open or not", () => {
  const branch = branchOf(...WORK);
  for (const open of [[], [2]]) {
    const { rows } = rowsOf(branch, { open });
    expect([0, 3, 5, 9, 10].map((position) => rows.countFrom(position))).toEqual([6, 4, 3, 1, 0]);
  }
});

test("keys step over notices, from entry to entry", () => {
  const notice = (type: string): Kind => ({ type, word: type });
  const branch = branchOf(
    notice("model_change"),
    PROMPT,
    notice("thinking_level_change"),
    notice("label"),
    ANSWER,
  );
  const { rows } = rowsOf(branch);
  expect([rows.findEntry(-1, 1), rows.findEntry(1, 1), rows.findEntry(4, 1)]).toEqual([1, 4, undefined]);
  expect([rows.findEntry(5, -1), rows.findEntry(4, -1), rows.findEntry(1, -1)]).toEqual([4, 1, undefined]);
});

test("an answer is continued by what follows until the next prompt", () => {
  const { rows } = rowsOf(branchOf(...WORK, PROMPT, ANSWER));
  expect(Array.from({ length: rows.count }, (_, row) => rows.isContinued(row))).toEqual([
    ...[false, false, true, true],
    ...[false, false],
  ]);
  expect([rows.findPrompt(0, 1), rows.findPrompt(3, -1), rows.findPrompt(5, 1)]).toEqual([4, 0, undefined]);
});

test("with a filter, an answer has its heading if what it goes on with is hidden", () => {
  const { rows } = rowsOf(branchOf(PROMPT, CALL, result("read"), ANSWER, ANSWER), { filter: "conversation" });
  const shown = Array.from({ length: rows.count }, (_, row) => [rows.message(row), rows.isContinued(row)]);
  expect(shown).toEqual([
    [0, false],
    [2, false],
    [3, true],
  ]);
});

test("rows of edits have the prompt they belong to above the first of them", () => {
  const edit = [CALL, result("edit")];
  const branch = branchOf(...edit, PROMPT, ANSWER, ...edit, CALL, result("read"), ...edit, PROMPT, ...edit);
  const { rows } = rowsOf(branch, { filter: "edits" });
  const shown = Array.from({ length: rows.count }, (_, row) => [
    rows.message(row),
    rows.promptAbove(row),
    rows.isContinued(row),
  ]);
  expect(shown).toEqual([
    [0, undefined, false],
    [3, 1, false],
    [5, undefined, true],
    [7, 6, false],
  ]);
  expect([rows.findPrompt(0, 1), rows.findPrompt(3, -1)]).toEqual([1, 1]);
  expect(rowsOf(branch).rows.promptAbove(1)).toBeUndefined();
  expect(Object.fromEntries(countByFilter(branch))).toEqual({
    all: 8,
    conversation: 3,
    prompts: 2,
    edits: 4,
  });
});
