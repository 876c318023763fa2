import { join } from "node:path";
import {
  answer,
  answerOf,
  ask,
  at,
  type Fields,
  type FileMade,
  fork,
  type Line,
  named,
  spending,
  toolResult,
  upgraded,
  usage,
  v1,
  v3,
} from "./ledger-files.ts";

/** Session files with their costs, and their tokens if not 13 per event. Summed by hand. */
export interface LedgerCase {
  name: string;
  /** Files by path below the root, in the order of their creation. */
  files: (root: string) => Record<string, FileMade>;
  usd: number;
  tokens: number;
  /** Folders below the root that are passed as roots. */
  roots?: string[];
  /** Cost of each of these folders if it is the only root. */
  usdByRoot?: number[];
  /** Cost by file that owns it. */
  usdByFile?: Record<string, number>;
  /** Cost by day in UTC; "" for events without a time. */
  usdByDay?: Record<string, number>;
}

/** A version 1 session with three responses: $1.00, $0.50 and $0.25. */
export const old = (id = "aaaa"): string =>
  v1(id, [ask(null, 0), answer(null, 1, 1), answer(null, 2, 0.5), ask(null, 3), answer(null, 4, 0.25)]);
/** A version 3 session with two responses: $1.00 and $0.50. */
export const young = (id = "aaaa", header: Fields = {}): string =>
  v3(id, [ask("q1", 0), answer("a1", 1, 1), answer("a2", 2, 0.5)], header);
export const cheap = (cost: unknown): Fields => ({ usage: usage(cost) });
export const scout = (fields: Fields = {}): Fields => ({ agent: "scout", ...fields });
export const worker = (fields: Fields = {}): Fields => ({ agent: "worker", ...fields });
/** A session that costs $1.00, with a tool result that reports $0.75 for its subagents. */
export const caller = (results: Fields[], sum: unknown, more: Line[] = []): string =>
  v3("call", [
    ask("q1", 0),
    answer("a1", 1, 1),
    toolResult("r1", 9, { ...(sum === undefined ? {} : { usage: usage(sum) }), details: { results } }),
    ...more,
  ]);
/** The session of a subagent run, with responses of these costs. */
export const run = (id: string, ...usd: number[]): string =>
  v3(id, [ask("t1", 2), ...usd.map((each, n) => answer(`${id}${n}`, 3 + n, each))], { timestamp: at(2) });

export const one = (name: string, file: string, usd: number, tokens = 13): LedgerCase => ({
  name,
  files: () => ({ "a.jsonl": file }),
  usd,
  tokens,
});
export const several = (
  name: string,
  files: LedgerCase["files"],
  usd: number,
  acts: number,
  more: Partial<LedgerCase> = {},
): LedgerCase => ({ name, files, usd, tokens: acts * 13, ...more });

export const ONE_SESSION: LedgerCase[] = [
  one("an answer", v3("a", [ask("q", 0), answer("x", 1, 1.5)]), 1.5),
  one("answers of version 1", old(), 1.75, 39),
  one("answers of version 2", v3("a", [answer("x", 1, 1), answer("y", 2, 0.5)], { version: 2 }), 1.5, 26),
  one("tokens without a cost", v3("a", [answerOf("x", 1, { input: 10, output: 3 })]), 0),
  one("a header alone", v3("a", []), 0, 0),
  one("an empty file", "", 0, 0),
  one("a file that is no session", "nothing\n{}\n", 0, 0),
  one(
    "an archived session",
    v3("a", [answer("x", 1, 1), { type: "custom", id: "c", customType: "pidex", data: { archived: true } }]),
    1,
  ),
  one(
    "two events with the same time and cost",
    v3("a", [answer("x", 1, 1, "Same"), answer("y", 1, 1, "Same")]),
    2,
    26,
  ),
  one("the same in version 1", v1("a", [answer(null, 1, 1, "Same"), answer(null, 1, 1, "Same")]), 2, 26),
  one("a duplicated line", v3("a", [answer("x", 1, 1), answer("x", 1, 1)]), 1),
  one("an id of two events", v3("a", [answer("x", 1, 1), answer("x", 2, 1)]), 2, 26),
  one("acts without ids", v3("a", [answer(null, 1, 1), answer(undefined, 2, 0.5)]), 1.5, 26),
  one("acts of one moment without ids", v3("a", [answer(null, 1, 1, "A"), answer(null, 1, 1, "B")]), 2, 26),
  one('ids 5 and "5" in one moment', v3("a", [answer(5, 1, 1), answer("5", 1, 1)]), 2, 26),
  one(
    "an event with a time only in its message",
    v3("a", [
      {
        ...answer("x", 1, 1),
        timestamp: "soon",
        message: { ...(answer("x", 1, 1).message as Fields), timestamp: 1_767_603_600_000 },
      },
    ]),
    1,
  ),
  one(
    "events without a time",
    v3("a", [
      { ...answer("x", 1, 1), timestamp: undefined },
      { ...answer("y", 1, 1), timestamp: "" },
    ]),
    2,
    26,
  ),
  one(
    "an event before its session was created, and one in the year 2199",
    v3("a", [answer("x", -900, 1), answer("y", 91_000_000, 0.5)]),
    1.5,
    26,
  ),
  one(
    "an event before a broken line, and one after it",
    v3("a", [answer("x", 1, 1), "{broken", answer("y", 2, 1)]),
    2,
    26,
  ),
  one(
    "an event on an abandoned branch",
    v3("a", [
      ask("q", 0),
      { ...answer("x", 1, 1), parentId: "q" },
      { ...answer("y", 2, 0.5), parentId: "q" },
    ]),
    1.5,
    26,
  ),
];

export const KINDS: LedgerCase[] = [
  one("a tool result", v3("a", [toolResult("x", 1, cheap({ total: 0.5 }))]), 0.5),
  one("a compaction", v3("a", [spending("compaction", "x", 1, 0.5, { summary: "S" })]), 0.5),
  one("a branch summary", v3("a", [spending("branch_summary", "x", 1, 0.5, { summary: "S" })]), 0.5),
  one("a session summary", v3("a", [spending("session_summary", "x", 1, 0.5, { summary: "S" })]), 0.5),
  one("a usage entry", v3("a", [spending("usage", "x", 1, 0.5, { kind: "title", model: "opus" })]), 0.5),
  one("an unknown type", v3("a", [spending("novel", "x", 1, 0.5)]), 0, 0),
  one("a response with a number as its cost", v3("a", [answerOf("x", 1, usage(0.5))]), 0.5),
  one("a tool result with a number as its cost", v3("a", [toolResult("x", 1, cheap(0.5))]), 0.5),
  one(
    "a compaction with a number as its cost",
    v3("a", [{ ...spending("compaction", "x", 1, 9), ...cheap(0.5) }]),
    0.5,
  ),
  one(
    "a usage entry with a number as its cost",
    v3("a", [{ ...spending("usage", "x", 1, 9), ...cheap(0.5) }]),
    0.5,
  ),
  one(
    "a subagent with a cost in parts",
    v3("a", [toolResult("x", 1, { details: { results: [scout(cheap({ input: 0.25, output: 0.5 }))] } })]),
    0.75,
  ),
  one("a cost in parts alone", v3("a", [answerOf("x", 1, usage({ input: 0.25, output: 0.5 }))]), 0.75),
  one(
    "a cost that only the provider reported",
    v3("a", [answerOf("x", 1, usage({ totalFromProvider: 0.75 }))]),
    0.75,
  ),
  one("a cost that is a text", v3("a", [answerOf("x", 1, usage("0.5"))]), 0),
  one("a negative total beside a part", v3("a", [answerOf("x", 1, usage({ total: -1, input: 0.25 }))]), 0.25),
  one("a cost that is a negative number", v3("a", [answerOf("x", 1, usage(-0.5))]), 0),
  one("a cost of null, as JSON writes NaN", v3("a", [answerOf("x", 1, usage({ total: Number.NaN }))]), 0),
  one(
    "tokens as text, and negative ones",
    v3("a", [answerOf("x", 1, { input: "10", output: -3, cacheRead: 4, cost: { total: 0.5 } })]),
    0.5,
    4,
  ),
  one("a cost beyond all reason", v3("a", [answerOf("x", 1, usage({ total: 10_001 }))]), 0),
  one("usage that is a text", v3("a", [answerOf("x", 1, "free")]), 0, 0),
];

export const FORKS: LedgerCase[] = [
  several(
    "a fork and what it adds",
    () => ({ "a.jsonl": young(), "b.jsonl": fork(young(), "bbbb", "/x/a.jsonl", [answer("b1", 70, 2)]) }),
    3.5,
    3,
  ),
  several(
    "a fork of a fork",
    (root) => {
      const b = fork(young(), "bbbb", join(root, "a.jsonl"), [answer("b1", 70, 2)]);
      const c = fork(b, "cccc", join(root, "b.jsonl"), [answer("c1", 80, 4)], { timestamp: at(75) });
      return { "a.jsonl": young(), "b.jsonl": b, "c.jsonl": c };
    },
    7.5,
    4,
  ),
  several(
    "a fork of a deleted parent",
    () => ({ "b.jsonl": fork(young(), "bbbb", "/x/a.jsonl", [answer("b1", 70, 2)]) }),
    3.5,
    3,
  ),
  several(
    "two forks of a deleted parent",
    () => ({
      "b.jsonl": fork(young(), "bbbb", "/x/a.jsonl"),
      "c.jsonl": fork(young(), "cccc", "/x/a.jsonl"),
    }),
    1.5,
    2,
  ),
  several(
    "a fork with an earlier creation time than its parent",
    (root) => ({
      "a.jsonl": young(),
      "b.jsonl": fork(young(), "bbbb", join(root, "a.jsonl"), [], { timestamp: at(-60) }),
    }),
    1.5,
    2,
  ),
  several(
    "a fork without a creation time",
    (root) => ({
      "a.jsonl": young(),
      "b.jsonl": fork(young(), "bbbb", join(root, "a.jsonl"), [], { timestamp: undefined }),
    }),
    1.5,
    2,
  ),
  several(
    "a fork and its parent, continued at the same time for the same cost",
    (root) => {
      const parent = v3("aaaa", [answer("a1", 1, 1), answer("a2", 70, 2, "Same")]);
      const start = v3("aaaa", [answer("a1", 1, 1)]);
      return {
        "a.jsonl": parent,
        "b.jsonl": fork(start, "bbbb", join(root, "a.jsonl"), [answer("b2", 70, 2, "Same")]),
      };
    },
    5,
    3,
  ),
  several(
    "a copy with its text removed",
    () => ({ "a.jsonl": young(), "b.jsonl": young().replace("Answer a1", "[taken out]") }),
    1.5,
    2,
  ),
  several("a copy in another root", () => ({ "one/a.jsonl": young(), "two/a.jsonl": young() }), 1.5, 2, {
    roots: ["one", "two"],
  }),
  several("a hard link", () => ({ "a.jsonl": young(), "b.jsonl": { link: "a.jsonl" } }), 1.5, 2),
  several("a symbolic link", () => ({ "a.jsonl": young(), "b.jsonl": { symlink: "a.jsonl" } }), 1.5, 2),
  several(
    "a copy without ids",
    (root) => ({
      "a.jsonl": young().replaceAll(/"id":"[qa]\d",/g, ""),
      "b.jsonl": fork(young().replaceAll(/"id":"[qa]\d",/g, ""), "bbbb", join(root, "a.jsonl")),
    }),
    1.5,
    2,
  ),
  several(
    "unrelated sessions with one id at the same time",
    () => ({ "a.jsonl": v3("aaaa", [answer("x", 1, 1)]), "b.jsonl": v3("bbbb", [answer("x", 1, 0.5)]) }),
    1.5,
    2,
  ),
  several(
    "unrelated sessions with the same id and cost",
    () => ({ "a.jsonl": v3("aaaa", [answer("x", 1, 1)]), "b.jsonl": v3("bbbb", [answer("x", 2, 1)]) }),
    2,
    2,
  ),
  several(
    "unrelated sessions with the same time and cost",
    () => ({ "a.jsonl": v3("aaaa", [answer("x", 1, 1)]), "b.jsonl": v3("bbbb", [answer("y", 1, 1)]) }),
    2,
    2,
  ),
  several(
    "a fork of one of two unrelated sessions with the same time and cost",
    (root) => {
      const a = v3("aaaa", [answer("x", 1, 1)]);
      return {
        "a.jsonl": a,
        "b.jsonl": v3("bbbb", [answer("y", 1, 1)]),
        "c.jsonl": fork(a, "cccc", join(root, "a.jsonl")),
      };
    },
    2,
    2,
  ),
];

export const VERSION_1: LedgerCase[] = [
  several(
    "unrelated sessions with the same time and cost",
    () => ({ "a.jsonl": old("aaaa"), "b.jsonl": old("bbbb") }),
    3.5,
    6,
  ),
  several("a copy", () => ({ "a.jsonl": old(), "b.jsonl": old() }), 1.75, 3),
  several(
    "a branch",
    () => ({
      [named("aaaa")]: old(),
      "b.jsonl": old("bbbb").replace('"cwd"', `"branchedFrom":"/x/${named("aaaa")}","cwd"`),
    }),
    1.75,
    3,
  ),
  several("a copy that pi upgraded", () => ({ "a.jsonl": old(), "b.jsonl": upgraded(old(), "u") }), 1.75, 3),
  several(
    "a copy that pi upgraded and continued",
    () => ({
      "a.jsonl": old(),
      "b.jsonl": `${upgraded(old(), "u")}${JSON.stringify(answer("u9", 90, 2))}\n`,
    }),
    3.75,
    4,
  ),
  several(
    "two copies that pi upgraded, and the original",
    () => ({ "a.jsonl": old(), "b.jsonl": upgraded(old(), "u"), "c.jsonl": upgraded(old(), "v") }),
    1.75,
    3,
  ),
  several(
    "two copies that pi upgraded, without the original",
    () => ({ "b.jsonl": upgraded(old(), "u"), "c.jsonl": upgraded(old(), "v") }),
    1.75,
    3,
  ),
  several(
    "a fork of the upgraded copy",
    (root) => ({
      [named("aaaa")]: old(),
      "b.jsonl": fork(upgraded(old(), "u"), "bbbb", join(root, named("aaaa")), [answer("b1", 70, 2)]),
    }),
    3.75,
    4,
  ),
  several(
    "a fork of the upgraded copy, which is in a deleted folder",
    () => ({
      [named("aaaa")]: old(),
      "b.jsonl": fork(upgraded(old(), "u"), "bbbb", `/gone/${named("aaaa")}`),
    }),
    1.75,
    3,
  ),
  several(
    "the same with file names without ids",
    () => ({ "here/a.jsonl": old(), "there/b.jsonl": fork(upgraded(old(), "u"), "bbbb", "/gone/a.jsonl") }),
    1.75,
    3,
  ),
  several(
    "the same on Windows",
    () => ({
      [named("aaaa")]: old(),
      "b.jsonl": fork(upgraded(old(), "u"), "bbbb", `C:\\gone\\${named("aaaa")}`),
    }),
    1.75,
    3,
  ),
  several(
    "a fork of a fork of the upgraded copy, and all of these",
    (root) => {
      const b = upgraded(old(), "u");
      const c = fork(b, "cccc", join(root, "b.jsonl"), [answer("c1", 70, 2)]);
      const d = fork(c, "dddd", join(root, "c.jsonl"), [answer("d1", 80, 4)], { timestamp: at(75) });
      return { "a.jsonl": old(), "b.jsonl": b, "c.jsonl": c, "d.jsonl": d };
    },
    7.75,
    5,
  ),
  several(
    "forks of two deleted upgraded copies",
    () => ({
      "b.jsonl": fork(upgraded(old(), "u"), "bbbb", `/x/${named("aaaa")}`),
      "c.jsonl": fork(upgraded(old(), "v"), "cccc", `/y/${named("aaaa")}`),
    }),
    1.75,
    3,
  ),
  several(
    "original and upgraded copy in two roots",
    () => ({ "one/a.jsonl": old(), "two/a.jsonl": upgraded(old(), "u") }),
    1.75,
    3,
    { roots: ["one", "two"] },
  ),
  several(
    "an upgraded copy with its texts removed",
    () => ({ "a.jsonl": old(), "b.jsonl": upgraded(old(), "u").replaceAll("Answer null", "[taken out]") }),
    1.75,
    3,
  ),
  several(
    "two events with the same time and cost, and their upgraded copy",
    () => {
      const twins = v1("aaaa", [ask(null, 0), answer(null, 1, 1, "Same"), answer(null, 1, 1, "Same")]);
      return { "a.jsonl": twins, "b.jsonl": upgraded(twins, "u") };
    },
    2,
    2,
  ),
  several(
    "an upgraded copy of one of two unrelated sessions",
    () => ({ "a.jsonl": old("aaaa"), "b.jsonl": old("bbbb"), "c.jsonl": upgraded(old("bbbb"), "u") }),
    3.5,
    6,
  ),
  several(
    "a fork of an upgraded session, continued at the same time as its parent",
    (root) => {
      const start = v1("aaaa", [ask(null, 0), answer(null, 1, 1)]);
      const copy = upgraded(start, "u");
      return {
        "a.jsonl": `${start}${JSON.stringify({ ...answer(null, 70, 2, "Same"), id: undefined })}\n`,
        "b.jsonl": `${copy}${JSON.stringify(answer("b2", 70, 2, "Same"))}\n`,
        "c.jsonl": fork(copy, "cccc", join(root, "b.jsonl"), [answer("c2", 70, 2, "Same")]),
      };
    },
    5,
    3,
  ),
  // Not recognised: nothing in the files shows that they are related.
  several(
    "an upgraded copy with another session id and no parent",
    () => ({ "a.jsonl": old("aaaa"), "b.jsonl": upgraded(old("bbbb"), "u") }),
    3.5,
    6,
  ),
];

const A = { sessionFile: "/x/subagent-artifacts/A.jsonl" };
const B = { sessionFile: "/x/subagent-artifacts/B.jsonl" };
const sessionOf = (name: string, ...usd: number[]): Record<string, string> => ({
  [`subagent-artifacts/${name}.jsonl`]: run(name, ...usd),
});

export const SUBAGENTS: LedgerCase[] = [
  several(
    "without sessions of their own",
    () => ({ "a.jsonl": caller([scout(cheap(0.5)), worker(cheap(0.25))], undefined) }),
    1.75,
    3,
  ),
  several(
    "one of which has a session",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) }), worker(cheap(0.25))], undefined),
      ...sessionOf("A", 0.5),
    }),
    1.75,
    3,
  ),
  several(
    "that all have sessions",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) }), worker({ ...B, ...cheap(0.25) })], { total: 0.75 }),
      ...sessionOf("A", 0.5),
      ...sessionOf("B", 0.25),
    }),
    1.75,
    3,
  ),
  {
    ...several(
      "in a sum, without sessions",
      () => ({ "a.jsonl": caller([scout(A), worker(B)], { total: 0.75 }) }),
      1.75,
      2,
    ),
  },
  // The sum has 13 tokens, as many as the session of A: no tokens are left for B.
  several(
    "in a sum, one of which has a session",
    () => ({ "a.jsonl": caller([scout(A), worker(B)], { total: 0.75 }), ...sessionOf("A", 0.5) }),
    1.75,
    2,
  ),
  several(
    "in a sum that is a number, one of which has a session",
    () => ({ "a.jsonl": caller([scout(A), worker(B)], 0.75), ...sessionOf("A", 0.5) }),
    1.75,
    2,
  ),
  several(
    "in a sum, and the other one reports its part",
    () => ({
      "a.jsonl": caller([scout(A), worker({ ...B, ...cheap(0.25) })], { total: 0.75 }),
      ...sessionOf("A", 0.5),
    }),
    1.75,
    3,
  ),
  several(
    "in a sum, and the one with a session reports its part",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) }), worker(B)], { total: 0.75 }),
      ...sessionOf("A", 0.5),
    }),
    1.75,
    2,
  ),
  several(
    "in a sum, all with sessions",
    () => ({
      "a.jsonl": caller([scout(A), worker(B)], { total: 0.75 }),
      ...sessionOf("A", 0.5),
      ...sessionOf("B", 0.25),
    }),
    1.75,
    3,
  ),
  several(
    "in a sum that is less than the usage of one session",
    () => ({ "a.jsonl": caller([scout(A), worker(B)], { total: 0.75 }), ...sessionOf("A", 0.5, 0.5) }),
    2,
    3,
  ),
  several(
    "in a sum that a fork copied",
    (root) => {
      const parent = caller([scout(A), worker(B)], { total: 0.75 });
      return {
        "a.jsonl": parent,
        ...sessionOf("A", 0.5),
        "b.jsonl": fork(parent, "bbbb", join(root, "a.jsonl")),
      };
    },
    1.75,
    2,
  ),
  several(
    "with a session that continues its caller's",
    (root) => {
      const parent = caller([scout({ ...A, ...cheap(0.5) })], undefined);
      const start = v3("call", [ask("q1", 0), answer("a1", 1, 1)]);
      return {
        "a.jsonl": parent,
        "subagent-artifacts/A.jsonl": fork(start, "A", join(root, "a.jsonl"), [answer("A1", 3, 0.5)], {
          timestamp: at(2),
        }),
      };
    },
    1.5,
    2,
  ),
  several(
    "with a session in the folder of its deleted caller, in a moved tree, and a fork of that",
    () => {
      const A = { sessionFile: "/old/x_call/run-0/A.jsonl" };
      const parent = caller([scout({ ...A, ...cheap(0.5) })], undefined);
      return {
        "x_call/run-0/A.jsonl": run("A", 0.5),
        "b.jsonl": fork(parent, "bbbb", "/old/x_call.jsonl", [answer("b1", 70, 2)]),
      };
    },
    3.5,
    3,
  ),
  several(
    "with a copied session",
    () => ({
      "a.jsonl": caller([scout(A), worker(B)], { total: 0.75 }),
      ...sessionOf("A", 0.5),
      "copy.jsonl": run("A", 0.5),
    }),
    1.75,
    2,
  ),
  several(
    "that have subagents",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) })], undefined),
      "subagent-artifacts/A.jsonl": v3(
        "A",
        [
          answer("A1", 3, 0.5),
          toolResult("A2", 4, { details: { results: [worker({ ...B, ...cheap(0.25) })] } }),
        ],
        { timestamp: at(2) },
      ),
      ...sessionOf("B", 0.25),
    }),
    1.75,
    3,
  ),
  several(
    "in a tool result of a version 1 session and its upgraded copy",
    () => {
      const parent = v1("call", [
        answer(null, 1, 1),
        toolResult(null, 9, { details: { results: [scout(cheap(0.5))] } }),
      ]);
      return { "a.jsonl": parent, "b.jsonl": upgraded(parent, "u") };
    },
    1.5,
    2,
  ),
];

/** An oh-my-pi session that costs $1.00, and the tasks that it called. */
const tasks = (results: Fields[]): string =>
  v3("call", [answer("a1", 1, 1), toolResult("r1", 9, { toolName: "task", details: { results } })]);

export const TASKS: LedgerCase[] = [
  several(
    "with ids only, one of which has a session",
    () => ({
      "x_call.jsonl": tasks([
        { id: "0-A", agent: "task", ...cheap(0.5) },
        { id: "1-B", agent: "task", ...cheap(0.25) },
      ]),
      "x_call/0-A.jsonl": run("A", 0.5),
    }),
    1.75,
    3,
  ),
  several(
    "of a session copied under another name",
    () => ({
      "new.jsonl": tasks([{ id: "0-A", agent: "task", outputPath: "/gone/x_call/0-A.md", ...cheap(0.5) }]),
      "new/0-A.jsonl": run("A", 0.5),
    }),
    1.5,
    2,
  ),
  several(
    "of a deleted session, and its fork",
    () => ({
      "x_call/0-A.jsonl": run("A", 0.5),
      "b.jsonl": fork(tasks([{ id: "0-A", agent: "task", ...cheap(0.5) }]), "bbbb", "/gone/x_call.jsonl", [
        answer("b1", 70, 2),
      ]),
    }),
    3.5,
    3,
  ),
];

/** A prime-agent entry with the usage of a session's child, for the response `a1`, which itself costs $1.00. */
const attributed = (usd: number, more: Fields = {}): Line => ({
  type: "child_usage_attributed",
  id: "x1",
  timestamp: at(9),
  targetId: "a1",
  childUsage: usage({ total: usd }),
  aggregateUsage: { input: 20, output: 6, cost: { total: 1 + usd } },
  ...more,
});
/** The same parent rewritten by prime-agent: `a1` includes its child's usage. */
const primeRewritten = (...more: Line[]): string =>
  v3("pppp", [answerOf("a1", 1, { input: 20, output: 6, cost: { total: 3 } }), attributed(2), ...more]);
const primeForkRewritten = (parent: string): string =>
  fork(primeRewritten(), "ffff", parent, [answer("f1", 70, 4)]);
const PRIME_ROOTS = { roots: ["sessions", "session-artifacts"] };
const primeParent = (header: Fields = {}): string => v3("pppp", [answer("a1", 1, 1), attributed(2)], header);
const primeChild = (header: Fields = {}): Record<string, string> => ({
  "session-artifacts/pppp/sub-1/kkkk.jsonl": v3("kkkk", [answer("k1", 3, 2)], {
    timestamp: at(2),
    ...header,
  }),
});
const primeFork = (parent: string): string => fork(primeParent(), "ffff", parent, [answer("f1", 70, 4)]);

export const PRIME: LedgerCase[] = [
  several(
    "a parent and its child",
    () => ({ "sessions/pppp.jsonl": primeParent(), ...primeChild() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  several(
    "a parent, its child, and a fork of the parent",
    (root) => ({
      "sessions/pppp.jsonl": primeParent(),
      ...primeChild(),
      "sessions/ffff.jsonl": primeFork(join(root, "sessions/pppp.jsonl")),
    }),
    7,
    3,
    PRIME_ROOTS,
  ),
  several(
    "a child and a fork of its deleted parent",
    (root) => ({
      ...primeChild(),
      "sessions/ffff.jsonl": primeFork(join(root, "sessions/pppp.jsonl")),
    }),
    7,
    3,
    PRIME_ROOTS,
  ),
  several(
    "the same after the whole tree was moved",
    () => ({ ...primeChild(), "sessions/ffff.jsonl": primeFork("/gone/sessions/pppp.jsonl") }),
    7,
    3,
    PRIME_ROOTS,
  ),
  several(
    "a fork with a deleted child, and the child of its parent",
    (root) => ({
      "sessions/pppp.jsonl": primeParent(),
      ...primeChild(),
      "sessions/ffff.jsonl": fork(primeParent(), "ffff", join(root, "sessions/pppp.jsonl"), [
        answer("f1", 70, 4),
        attributed(8, { id: "x2", timestamp: at(71), targetId: "f1", aggregateUsage: undefined }),
      ]),
    }),
    15,
    4,
    PRIME_ROOTS,
  ),
  several(
    "a parent with a time in its file name, and its child",
    () => ({ [`sessions/${named("pppp")}`]: primeParent(), ...primeChild() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  several(
    "a rewritten parent, and its child",
    () => ({ "sessions/pppp.jsonl": primeRewritten(), ...primeChild() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  several(
    "a rewritten parent with a deleted child",
    () => ({ "sessions/pppp.jsonl": primeRewritten() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  several(
    "a parent rewritten between the usage of two deleted children",
    () => ({
      "sessions/pppp.jsonl": primeRewritten(
        attributed(8, {
          id: "x2",
          timestamp: at(10),
          aggregateUsage: { input: 30, output: 9, cost: { total: 11 } },
        }),
      ),
    }),
    11,
    3,
    PRIME_ROOTS,
  ),
  several(
    "a parent, its child, and a fork with the child's usage in the response",
    (root) => ({
      "sessions/pppp.jsonl": primeParent(),
      ...primeChild(),
      "sessions/ffff.jsonl": primeForkRewritten(join(root, "sessions/pppp.jsonl")),
    }),
    7,
    3,
    PRIME_ROOTS,
  ),
  several(
    "such a fork alone",
    (root) => ({ "sessions/ffff.jsonl": primeForkRewritten(join(root, "sessions/pppp.jsonl")) }),
    7,
    3,
    PRIME_ROOTS,
  ),
  several(
    "such a fork and the child of its deleted parent",
    (root) => ({
      ...primeChild(),
      "sessions/ffff.jsonl": primeForkRewritten(join(root, "sessions/pppp.jsonl")),
    }),
    7,
    3,
    PRIME_ROOTS,
  ),
];
