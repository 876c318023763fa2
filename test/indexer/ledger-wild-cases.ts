import { homedir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  caller,
  cheap,
  type LedgerCase,
  old,
  one,
  run,
  scout,
  several,
  worker,
  young,
} from "./ledger-cases.ts";
import {
  answer,
  answerOf,
  ask,
  at,
  type Fields,
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

/** A caller that costs $1.00, and the session of its run in another folder, $0.50, under the path that the caller recorded. */
const spelled = (name: string, sessionFile: (path: string, root: string) => string): LedgerCase =>
  several(
    name,
    (root) => ({
      "a.jsonl": caller(
        [scout({ sessionFile: sessionFile(join(root, "far away/A é.jsonl"), root), ...cheap(0.5) })],
        undefined,
      ),
      "far away/A é.jsonl": run("A", 0.5),
    }),
    1.5,
    2,
  );

export const PATHS: LedgerCase[] = [
  spelled("as it is", (path) => path),
  spelled("with two slashes", (path) => path.replaceAll("/", "//")),
  spelled("with a dot", (path, root) => path.replace(root, `${root}/.`)),
  spelled("with two dots", (path, root) => path.replace(root, `${root}/x/..`)),
  spelled("with a slash at its end", (path) => `${path}/`),
  spelled("as a file URL", (path) => `file://${path}`),
  spelled("as a file URL that is encoded", (path) => pathToFileURL(path).href),
  spelled("as a file URL of this host", (path) => `file://localhost${encodeURI(path)}`),
  spelled("with a tilde", (path) => `~/${relative(homedir(), path)}`),
  several(
    "as a file URL without a path",
    () => ({ "a.jsonl": caller([scout({ sessionFile: "file://%zz", ...cheap(0.5) })], undefined) }),
    1.5,
    2,
  ),
];

const MILLISECONDS = Date.parse(at(1));
/** Lines with times in another format, in entries and messages. */
const timed = (text: string, write: (time: string) => unknown): string =>
  text
    .split("\n")
    .map((line) =>
      line.replace(/"timestamp":("[^"]*")/g, (_, time: string) => {
        const written = write(JSON.parse(time) as string);
        return `"timestamp":${JSON.stringify(written ?? null)}`;
      }),
    )
    .join("\n");
const inMilliseconds = (time: string) => Date.parse(time);
const inSeconds = (time: string) => Date.parse(time) / 1000;
const untimed = (text: string): string => text.replaceAll(/"timestamp":"[^"]*",?/g, "");
const DAY = "2026-01-05";

export const TIMES: LedgerCase[] = [
  { ...one("in milliseconds", timed(young(), inMilliseconds), 1.5, 26), usdByDay: { [DAY]: 1.5 } },
  { ...one("in seconds", timed(young(), inSeconds), 1.5, 26), usdByDay: { [DAY]: 1.5 } },
  {
    ...one(
      "in seconds with a fraction",
      timed(young(), (time) => inSeconds(time) + 0.25),
      1.5,
      26,
    ),
    usdByDay: { [DAY]: 1.5 },
  },
  {
    ...one(
      "in seconds in messages alone",
      v3("a", [
        {
          ...answer("x", 1, 1),
          timestamp: undefined,
          message: { ...(answer("x", 1, 1).message as Fields), timestamp: MILLISECONDS / 1000 },
        },
      ]),
      1,
    ),
    usdByDay: { [DAY]: 1 },
  },
  {
    ...one("beyond all dates", v3("a", [{ ...answer("x", 1, 1), timestamp: 9e15 }]), 1),
    usdByDay: { "": 1 },
  },
  {
    ...several(
      "in milliseconds in a fork alone",
      (root) => ({
        "a.jsonl": young(),
        "b.jsonl": timed(fork(young(), "bbbb", join(root, "a.jsonl"), [answer("b1", 70, 2)]), inMilliseconds),
      }),
      3.5,
      3,
    ),
    usdByDay: { [DAY]: 3.5 },
  },
  several(
    "in seconds, and a fork",
    (root) => ({
      "a.jsonl": timed(young(), inSeconds),
      "b.jsonl": timed(fork(young(), "bbbb", join(root, "a.jsonl"), [answer("b1", 70, 2)]), inSeconds),
    }),
    3.5,
    3,
  ),
  several(
    "in milliseconds in a version 1 session and its upgraded copy",
    () => ({
      "a.jsonl": timed(old(), inMilliseconds),
      "b.jsonl": timed(upgraded(old(), "u"), inMilliseconds),
    }),
    1.75,
    3,
  ),
  several(
    "in milliseconds in two upgraded copies",
    () => ({
      "a.jsonl": timed(upgraded(old(), "u"), inMilliseconds),
      "b.jsonl": timed(upgraded(old(), "v"), inMilliseconds),
    }),
    1.75,
    3,
  ),
  several(
    "of the same moment, with another offset in a copy",
    () => ({
      "a.jsonl": young(),
      "b.jsonl": timed(young(), (time) => time.replace("T09", "T11").replace("Z", "+02:00")),
    }),
    1.5,
    2,
  ),
  several(
    "that are missing, in a session and its fork",
    (root) => ({
      "a.jsonl": untimed(young()),
      "b.jsonl": untimed(fork(young(), "bbbb", join(root, "a.jsonl"), [answer("b1", 70, 2)])),
    }),
    3.5,
    3,
  ),
  several(
    "that are missing, in a version 1 session and its upgraded copy",
    () => ({ "a.jsonl": untimed(old()), "b.jsonl": untimed(upgraded(old(), "u")) }),
    1.75,
    3,
  ),
  several(
    "that are missing, in two upgraded copies",
    () => ({ "a.jsonl": untimed(upgraded(old(), "u")), "b.jsonl": untimed(upgraded(old(), "v")) }),
    1.75,
    3,
  ),
  several(
    "that are missing, in unrelated sessions of version 1",
    () => ({ "a.jsonl": untimed(old("aaaa")), "b.jsonl": untimed(old("bbbb")) }),
    3.5,
    6,
  ),
  one(
    "that are missing, as are ids",
    v3("a", [
      { ...answer(undefined, 1, 1, "Same"), timestamp: undefined },
      { ...answer(undefined, 1, 1, "Same"), timestamp: undefined },
    ]),
    2,
    26,
  ),
];

const checkpoint = (id: string) => `${id}.checkpoint.7c9e6679-7425-40de-944b-e07fc1f90ae7.jsonl`;

export const CHECKPOINTS: LedgerCase[] = [
  several(
    "of a session that continues",
    () => ({
      "aaaa.jsonl": `${young()}${JSON.stringify(answer("a3", 70, 2))}\n`,
      [checkpoint("aaaa")]: young(),
    }),
    3.5,
    3,
    { usdByFile: { "aaaa.jsonl": 3.5, [checkpoint("aaaa")]: 0 } },
  ),
  several(
    "of a session truncated to its end",
    () => ({
      "aaaa.jsonl": v3("aaaa", [answer("a2", 2, 0.5), answer("a3", 70, 2)]),
      [checkpoint("aaaa")]: young(),
    }),
    3.5,
    3,
    { usdByFile: { "aaaa.jsonl": 2.5, [checkpoint("aaaa")]: 1 } },
  ),
];

const PARENT = "0199a3f0-5b6c-7d8e-9f00-112233445566";
const primeLines = [
  answer("a1", 1, 1),
  {
    type: "child_usage_attributed",
    id: "x1",
    timestamp: at(9),
    targetId: "a1",
    childUsage: usage({ total: 2 }),
    aggregateUsage: { input: 20, output: 6, cost: { total: 3 } },
  },
];
const primeChild = (root: string): string =>
  v3("kkkk", [answer("k1", 3, 2)], {
    timestamp: at(2),
    parentSession: join(root, `one/sessions/${PARENT}.jsonl`),
  });
const inPrimeRoots = { roots: ["one/sessions", "one/session-artifacts", "two/sessions"] };

export const COPIES: LedgerCase[] = [
  several(
    "of a prime-agent parent",
    (root) => ({
      [`one/sessions/${PARENT}.jsonl`]: v3(PARENT, primeLines),
      [`one/session-artifacts/${PARENT}/sub-1/kkkk.jsonl`]: primeChild(root),
      [`two/sessions/${PARENT}.jsonl`]: v3(PARENT, primeLines),
    }),
    3,
    2,
    inPrimeRoots,
  ),
  several(
    "of a deleted prime-agent parent",
    (root) => ({
      [`one/session-artifacts/${PARENT}/sub-1/kkkk.jsonl`]: primeChild(root),
      [`two/sessions/${PARENT}.jsonl`]: v3(PARENT, primeLines),
    }),
    3,
    2,
    inPrimeRoots,
  ),
  several(
    "that continued differently",
    () => ({
      "one/a.jsonl": `${young()}${JSON.stringify(answer("a3", 70, 2))}\n`,
      "two/a.jsonl": `${young()}${JSON.stringify(answer("a4", 80, 4))}\n`,
    }),
    7.5,
    4,
    { roots: ["one", "two"], usdByRoot: [3.5, 5.5] },
  ),
  several(
    "of a version 1 session that continued differently",
    () => ({
      "one/a.jsonl": `${old()}${JSON.stringify({ ...answer(null, 70, 2), id: undefined })}\n`,
      "two/a.jsonl": `${old()}${JSON.stringify({ ...answer(null, 80, 4), id: undefined })}\n`,
    }),
    7.75,
    5,
    { roots: ["one", "two"], usdByRoot: [3.75, 5.75] },
  ),
  several(
    "of a version 1 session that were both upgraded and continued differently",
    () => ({
      "one/a.jsonl": `${upgraded(old(), "u")}${JSON.stringify(answer("u9", 70, 2))}\n`,
      "two/a.jsonl": `${upgraded(old(), "v")}${JSON.stringify(answer("v9", 80, 4))}\n`,
    }),
    7.75,
    5,
    { roots: ["one", "two"], usdByRoot: [3.75, 5.75] },
  ),
];

const A = { sessionFile: "/x/subagent-artifacts/A.jsonl" };
const inRoots = { roots: ["one", "two"] };
const B = { sessionFile: "/x/subagent-artifacts/B.jsonl" };
const at2 = (root: string, name: string) => ({ sessionFile: join(root, "two/subagent-artifacts", name) });

export const ROOTS: LedgerCase[] = [
  several(
    "a run with a session in the other one",
    (root) => ({
      "one/a.jsonl": caller([scout({ ...at2(root, "A.jsonl"), ...cheap(0.5) })], undefined),
      "two/subagent-artifacts/A.jsonl": run("A", 0.5),
    }),
    1.5,
    2,
    { ...inRoots, usdByRoot: [1.5, 0.5] },
  ),
  several(
    "a sum over two runs, one of which has a session in the other one",
    (root) => ({
      "one/a.jsonl": caller([scout(at2(root, "A.jsonl")), worker(A)], { total: 0.75 }),
      "two/subagent-artifacts/A.jsonl": run("A", 0.5),
    }),
    1.75,
    2,
    { ...inRoots, usdByRoot: [1.75, 0.5] },
  ),
  several(
    "a sum over three runs, with a session in each",
    (root) => ({
      "one/a.jsonl": caller([scout(at2(root, "B.jsonl")), worker(A), worker()], { total: 1 }),
      "one/subagent-artifacts/A.jsonl": run("A", 0.25),
      "two/subagent-artifacts/B.jsonl": run("B", 0.5),
    }),
    2,
    3,
    { ...inRoots, usdByRoot: [2, 0.5] },
  ),
  several(
    "a sum over two runs, all with sessions, one of these in the other one",
    (root) => ({
      "one/a.jsonl": caller([scout(at2(root, "B.jsonl")), worker(A)], { total: 0.75 }),
      "one/subagent-artifacts/A.jsonl": run("A", 0.25),
      "two/subagent-artifacts/B.jsonl": run("B", 0.5),
    }),
    1.75,
    3,
    { ...inRoots, usdByRoot: [1.75, 0.5] },
  ),
  several(
    "two sums over runs, one of which was resumed in a session in the other one",
    (root) => {
      const results = [scout(at2(root, "A.jsonl")), worker(A)];
      return {
        "one/a.jsonl": v3("call", [
          answer("a1", 1, 1),
          toolResult("r1", 9, { ...cheap({ total: 0.75 }), details: { results } }),
          toolResult("r2", 19, { ...cheap({ total: 1 }), details: { results } }),
        ]),
        "two/subagent-artifacts/A.jsonl": v3("A", [answer("A0", 3, 0.5), answer("A1", 15, 0.5)], {
          timestamp: at(2),
        }),
      };
    },
    2.75,
    3,
    { ...inRoots, usdByRoot: [2.75, 1] },
  ),
  several(
    "two such sums of one time",
    (root) => {
      const results = [scout(at2(root, "B.jsonl")), worker(A), worker()];
      const reports = ["r1", "r2"].map((id) =>
        toolResult(id, 19, { ...cheap({ total: 2 }), details: { results } }),
      );
      const resumed = (id: string, usd: number) =>
        v3(id, [answer(`${id}0`, 3, usd), answer(`${id}1`, 15, usd)], { timestamp: at(2) });
      return {
        "one/a.jsonl": v3("call", [answer("a1", 1, 1), ...reports]),
        "one/subagent-artifacts/A.jsonl": resumed("A", 0.25),
        "two/subagent-artifacts/B.jsonl": resumed("B", 0.5),
      };
    },
    5,
    6,
    { ...inRoots, usdByRoot: [5, 1] },
  ),
  several(
    "a fork of a session with such a sum in the other one, beside a run's session",
    (root) => {
      const parent = caller([scout(at2(root, "A.jsonl")), worker({ sessionFile: "/x/W.jsonl" })], {
        total: 0.75,
      });
      return {
        "one/a.jsonl": parent,
        "two/b.jsonl": fork(parent, "bbbb", join(root, "one/a.jsonl"), [answer("b1", 70, 2)]),
        "two/subagent-artifacts/A.jsonl": run("A", 0.5),
      };
    },
    3.75,
    3,
    { ...inRoots, usdByRoot: [1.75, 3.75] },
  ),
];

const doubled = (text: string): string => `${text}${text}`;

/**
 * A session that costs $1.00, and reports twice $1.25 of usage by a worker and a resumed scout. The scout's session has $0.50
 * between its start and each report: one report or both are reduced by $1.00 in total.
 */
function resumed(
  name: string,
  times: [number, number],
  report: (line: Line) => Line,
  isTimeless = false,
): LedgerCase {
  const lines = times.map((minutes, n) =>
    toolResult(`r${n + 1}`, minutes, {
      ...cheap({ total: 1.25 }),
      details: { results: [scout(A), worker()] },
    }),
  );
  const session = v3("A", [answer("A0", 3, 0.5), answer("A1", 15, 0.5)], { timestamp: at(2) });
  return several(
    name,
    () => ({
      "a.jsonl": v3("call", [answer("a1", 1, 1), ...lines.map(report)]),
      "subagent-artifacts/A.jsonl": isTimeless ? untimed(session) : session,
    }),
    3.5,
    4,
  );
}

/** Written by hand, from the description of the format only. */
export const WILD: LedgerCase[] = [
  several(
    "forks of forks in three roots",
    (root) => {
      const b = fork(young(), "bbbb", join(root, "one/a.jsonl"), [answer("b1", 70, 2)]);
      const c = fork(b, "cccc", join(root, "two/b.jsonl"), [answer("c1", 80, 4)], { timestamp: at(75) });
      return { "one/a.jsonl": young(), "two/b.jsonl": b, "three/c.jsonl": c };
    },
    7.5,
    4,
    { roots: ["one", "two", "three"], usdByRoot: [1.5, 3.5, 7.5] },
  ),
  several(
    "a fork with own responses that are older than the copied ones",
    (root) => ({
      "a.jsonl": young(),
      "b.jsonl": fork(young(), "bbbb", join(root, "a.jsonl"), [answer("b1", -5000, 2)]),
    }),
    3.5,
    3,
  ),
  several(
    "a copy with its usage removed",
    () => ({ "a.jsonl": young(), "b.jsonl": young().replace('"usage":{', '"was":{') }),
    1.5,
    2,
  ),
  several(
    "a copy with the details of a tool result removed",
    () => {
      const parent = caller([scout(cheap(0.5))], undefined);
      return { "a.jsonl": parent, "b.jsonl": parent.replace('"details":{', '"was":{') };
    },
    1.5,
    2,
  ),
  one("a file with itself behind it", doubled(young()), 1.5, 26),
  one("a file with the lines of Windows", young().replaceAll("\n", "\r\n"), 1.5, 26),
  one("a file with a byte order mark", `\ufeff${young()}`, 1.5, 26),
  one("a file that has no newline at its end", young().trimEnd(), 1.5, 26),
  one(
    "tokens that are cached, and parts of others",
    v3("a", [
      answerOf("x", 1, {
        ...{ input: 10, output: 3, cacheRead: 100, cacheWrite: 20 },
        ...{ cacheWrite1h: 5, reasoning: 2, totalTokens: 9999, cost: { total: 0.5 } },
      }),
    ]),
    0.5,
    133,
  ),
  one(
    "cached tokens that are negative, a text, and infinite",
    v3("a", [
      '{"type":"message","id":"x","timestamp":"2026-01-05T09:01:00.000Z","message":{"role":"assistant","usage":{"input":10,"output":3,"cacheRead":-100,"cacheWrite":"20","cacheWrite1h":1e400,"cost":{"total":0.5}}}}',
    ]),
    0.5,
  ),
  one(
    "a total as text beside parts",
    v3("a", [answerOf("x", 1, usage({ total: "0.5", input: 0.25 }))]),
    0.25,
  ),
  one("a cost in another currency", v3("a", [answerOf("x", 1, usage({ total: 0.5, currency: "EUR" }))]), 0.5),
  one("a cost that is a list", v3("a", [answerOf("x", 1, usage([0.5]))]), 0),
  one("a cost that is true", v3("a", [answerOf("x", 1, usage(true))]), 0),
  one(
    "a part of a cent a thousand times",
    v3(
      "a",
      Array.from({ length: 1000 }, (_, n) => answer(`x${n}`, n, 1 / 512)),
    ),
    1000 / 512,
    13_000,
  ),
  one(
    "a tool result with nested calls that report its usage",
    v3("a", [
      toolResult("x", 1, {
        ...cheap({ total: 0.5 }),
        nestedCalls: { calls: [{ id: "n", name: "ask", status: "done", usage: usage({ total: 0.25 }) }] },
      }),
    ]),
    0.5,
  ),
  several(
    "a run that was called twice, and records both in one session",
    () => ({
      "a.jsonl": v3("call", [
        answer("a1", 1, 1),
        toolResult("r1", 9, { details: { results: [scout({ ...A, ...cheap(0.5) })] } }),
        toolResult("r2", 19, { details: { results: [scout({ ...A, ...cheap(0.75) })] } }),
      ]),
      "subagent-artifacts/A.jsonl": run("A", 0.5, 0.75),
    }),
    2.25,
    3,
  ),
  several(
    "a run that two sessions report",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) })], undefined),
      "b.jsonl": v3("bbbb", [
        answer("b1", 30, 2),
        toolResult("b2", 40, { details: { results: [scout({ ...A, ...cheap(0.5) })] } }),
      ]),
      "subagent-artifacts/A.jsonl": run("A", 0.5),
    }),
    3.5,
    3,
  ),
  several(
    "two sums over runs, one of which was resumed in one session",
    () => {
      const results = [scout(A), worker()];
      return {
        "a.jsonl": v3("call", [
          answer("a1", 1, 1),
          toolResult("r1", 9, { ...cheap({ total: 0.75 }), details: { results } }),
          toolResult("r2", 19, { ...cheap({ total: 1 }), details: { results } }),
        ]),
        // $0.50 of each sum: the others cost $0.25 and $0.50.
        "subagent-artifacts/A.jsonl": v3("A", [answer("A0", 3, 0.5), answer("A1", 15, 0.5)], {
          timestamp: at(2),
        }),
      };
    },
    2.75,
    3,
  ),
  resumed("sums of one time over a resumed run", [19, 19], (line) => line),
  resumed("such sums without times", [9, 19], (line) => ({ ...line, timestamp: undefined })),
  resumed("such sums of a session without times", [9, 19], (line) => line, true),
  resumed("such sums, the later without a time", [9, 19], (line) =>
    line.id === "r2" ? { ...line, timestamp: undefined } : line,
  ),
  several(
    "a failed run without usage, beside one with usage",
    () => ({ "a.jsonl": caller([scout({ exitCode: 1 }), worker(cheap(0.25))], undefined) }),
    1.25,
    2,
  ),
  several(
    "a compaction, a usage entry and a summary that a fork copied",
    (root) => {
      const parent = v3("aaaa", [
        spending("compaction", "c", 1, 0.5, { summary: "S" }),
        spending("usage", "u", 2, 0.25, { kind: "title", model: "opus" }),
        spending("branch_summary", "s", 3, 0.125, { summary: "B" }),
      ]);
      return { "a.jsonl": parent, "b.jsonl": fork(parent, "bbbb", join(root, "a.jsonl")) };
    },
    0.875,
    3,
  ),
  several(
    "a version 1 session with a subagent, its upgraded copy and a fork of that, in a moved tree",
    () => {
      const run = [
        answer(null, 1, 1),
        toolResult(null, 9, { details: { results: [scout({ ...A, ...cheap(0.5) })] } }),
      ];
      const parent = v1("call", run);
      const copy = upgraded(parent, "u");
      return {
        [named("call")]: parent,
        "copy.jsonl": copy,
        "b.jsonl": fork(copy, "bbbb", `/gone/${named("call")}`, [answer("b1", 70, 2)]),
      };
    },
    3.5,
    3,
  ),
  several(
    "a session that OpenClaw reset, and the one after it",
    () => ({
      "aaaa.jsonl.reset.2026-01-05T10-00-00.000Z": young(),
      "aaaa.jsonl": v3("aaaa", [answer("n1", 70, 2)], { timestamp: at(65) }),
    }),
    3.5,
    3,
  ),
  several(
    "a run's session that was copied to the path of another run's",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) }), worker({ ...B, ...cheap(0.5) })], undefined),
      "subagent-artifacts/A.jsonl": run("A", 0.5),
      "subagent-artifacts/B.jsonl": run("A", 0.5),
    }),
    // One session under two names: no file shows that the second run cost anything.
    1.5,
    2,
  ),
  several(
    "a run with a session that has the copied prefix of its caller and nothing else",
    (root) => {
      const parent = caller([scout({ ...A, ...cheap(0.5) })], undefined);
      const prefix = v3("call", [ask("q1", 0), answer("a1", 1, 1)]);
      return {
        "a.jsonl": parent,
        "subagent-artifacts/A.jsonl": fork(prefix, "A", join(root, "a.jsonl"), [], { timestamp: at(2) }),
      };
    },
    1.5,
    2,
  ),
  several(
    "a run with a session that has only a header",
    () => ({
      "a.jsonl": caller([scout({ ...A, ...cheap(0.5) })], undefined),
      "subagent-artifacts/A.jsonl": v3("A", []),
    }),
    1.5,
    2,
  ),
  several(
    "a session that reports itself as its subagent",
    (root) => ({
      "a.jsonl": caller([scout({ sessionFile: join(root, "a.jsonl"), ...cheap(0.5) })], undefined),
    }),
    1.5,
    2,
  ),
  several(
    "two sessions that report each other as subagents",
    (root) => ({
      "a.jsonl": v3("aaaa", [
        answer("a1", 1, 1),
        toolResult("r1", 9, {
          details: { results: [scout({ sessionFile: join(root, "b.jsonl"), ...cheap(2) })] },
        }),
      ]),
      "b.jsonl": v3("bbbb", [
        answer("b1", 2, 2),
        toolResult("r2", 10, {
          details: { results: [worker({ sessionFile: join(root, "a.jsonl"), ...cheap(1) })] },
        }),
      ]),
    }),
    3,
    2,
  ),
  several(
    "a fork with another model name in a copied response",
    (root) => ({
      "a.jsonl": young(),
      "b.jsonl": fork(
        young().replace('"model":"opus"', '"model":"opus","responseModel":"opus"'),
        "bbbb",
        join(root, "a.jsonl"),
      ),
    }),
    1.5,
    2,
  ),
  several(
    "a fork that wrote the figures of its parent with more digits",
    (root) => ({
      "a.jsonl": v3("aaaa", [answer("a1", 1, 0.3)]),
      "b.jsonl": fork(v3("aaaa", [answer("a1", 1, 0.1 + 0.2)]), "bbbb", join(root, "a.jsonl")),
    }),
    0.3,
    1,
  ),
  several(
    "a fork that omits a response in the middle, and its continued parent",
    (root) => ({
      "a.jsonl": `${young()}${JSON.stringify(answer("a3", 90, 4))}\n`,
      "b.jsonl": fork(v3("aaaa", [answer("a2", 2, 0.5)]), "bbbb", join(root, "a.jsonl"), [
        answer("b1", 70, 2),
      ]),
    }),
    7.5,
    4,
  ),
  several(
    "a response that a version 1 session and a version 3 session share by time only",
    () => ({ "a.jsonl": v1("aaaa", [answer(null, 1, 1)]), "b.jsonl": v3("bbbb", [answer("x", 1, 1)]) }),
    2,
    2,
  ),
  several(
    "a version 1 session with its first lines removed, and its complete copy",
    () => ({
      "a.jsonl": old(),
      "b.jsonl": v1("aaaa", [answer(null, 2, 0.5), ask(null, 3), answer(null, 4, 0.25)]),
    }),
    1.75,
    3,
  ),
  several(
    "a version 1 session with two equal responses, and a copy that lacks one",
    () => ({
      "a.jsonl": v1("aaaa", [answer(null, 1, 1, "Same"), answer(null, 1, 1, "Same")]),
      "b.jsonl": v1("aaaa", [answer(null, 1, 1, "Same")]),
    }),
    2,
    2,
  ),
  several(
    "a tool result with a sum of zero beside runs without figures",
    () => ({ "a.jsonl": caller([scout(A)], { total: 0 }), "subagent-artifacts/A.jsonl": run("A", 0.5) }),
    1.5,
    2,
  ),
  several(
    "a sum over one run, with a session that records less",
    () => ({ "a.jsonl": caller([scout(A)], { total: 0.75 }), "subagent-artifacts/A.jsonl": run("A", 0.5) }),
    1.5,
    2,
  ),
  several(
    "a run identified by its artifact only, encoded as a URL",
    (root) => ({
      "a.jsonl": caller(
        [
          scout({
            artifactPaths: { jsonlPath: pathToFileURL(join(root, "x y/A.jsonl")).href },
            ...cheap(0.5),
          }),
        ],
        undefined,
      ),
      "x y/A.jsonl": run("A", 0.5),
    }),
    1.5,
    2,
  ),
  several(
    "a caller in a renamed folder, with its runs below its own name",
    () => ({
      "new/x_call.jsonl": caller(
        [scout({ sessionFile: "/gone/x_call/run-0/A.jsonl", ...cheap(0.5) })],
        undefined,
      ),
      "new/x_call/run-0/A.jsonl": run("A", 0.5),
    }),
    1.5,
    2,
  ),
] satisfies LedgerCase[];
