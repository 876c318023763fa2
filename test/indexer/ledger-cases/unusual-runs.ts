import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  at,
  fileName,
  fork,
  type Line,
  prompt,
  response,
  toolResult,
  upgraded,
  usage,
  v1,
  v3,
} from "../ledger-files.ts";
import {
  callerSession,
  type LedgerCase,
  runSession,
  scout,
  severalFiles,
  singleFile,
  withCost,
  worker,
} from "./case.ts";
import { untimed } from "./times.ts";

const A = { sessionFile: "/x/subagent-artifacts/A.jsonl" };
const B = { sessionFile: "/x/subagent-artifacts/B.jsonl" };

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
      ...withCost({ total: 1.25 }),
      details: { results: [scout(A), worker()] },
    }),
  );
  const session = v3("A", [response("A0", 3, 0.5), response("A1", 15, 0.5)], { timestamp: at(2) });
  return severalFiles(
    name,
    () => ({
      "a.jsonl": v3("call", [response("a1", 1, 1), ...lines.map(report)]),
      "subagent-artifacts/A.jsonl": isTimeless ? untimed(session) : session,
    }),
    3.5,
    4,
  );
}

/** Subagent runs that are recorded in unusual ways. */
export const UNUSUAL_RUNS: LedgerCase[] = [
  singleFile(
    "a tool result with nested calls that report its usage",
    v3("a", [
      toolResult("x", 1, {
        ...withCost({ total: 0.5 }),
        nestedCalls: { calls: [{ id: "n", name: "ask", status: "done", usage: usage({ total: 0.25 }) }] },
      }),
    ]),
    0.5,
  ),
  severalFiles(
    "a run that was called twice, and records both in one session",
    () => ({
      "a.jsonl": v3("call", [
        response("a1", 1, 1),
        toolResult("r1", 9, { details: { results: [scout({ ...A, ...withCost(0.5) })] } }),
        toolResult("r2", 19, { details: { results: [scout({ ...A, ...withCost(0.75) })] } }),
      ]),
      "subagent-artifacts/A.jsonl": runSession("A", 0.5, 0.75),
    }),
    2.25,
    3,
  ),
  severalFiles(
    "a run that two sessions report",
    () => ({
      "a.jsonl": callerSession([scout({ ...A, ...withCost(0.5) })], undefined),
      "b.jsonl": v3("bbbb", [
        response("b1", 30, 2),
        toolResult("b2", 40, { details: { results: [scout({ ...A, ...withCost(0.5) })] } }),
      ]),
      "subagent-artifacts/A.jsonl": runSession("A", 0.5),
    }),
    3.5,
    3,
  ),
  severalFiles(
    "two sums over runs, one of which was resumed in one session",
    () => {
      const results = [scout(A), worker()];
      return {
        "a.jsonl": v3("call", [
          response("a1", 1, 1),
          toolResult("r1", 9, { ...withCost({ total: 0.75 }), details: { results } }),
          toolResult("r2", 19, { ...withCost({ total: 1 }), details: { results } }),
        ]),
        // $0.50 of each sum: the others cost $0.25 and $0.50.
        "subagent-artifacts/A.jsonl": v3("A", [response("A0", 3, 0.5), response("A1", 15, 0.5)], {
          timestamp: at(2),
        }),
      };
    },
    2.75,
    3,
  ),
  resumed("sums at the same time over a resumed run", [19, 19], (line) => line),
  resumed("such sums without times", [9, 19], (line) => ({ ...line, timestamp: undefined })),
  resumed("such sums of a session without times", [9, 19], (line) => line, true),
  resumed("such sums, the later without a time", [9, 19], (line) =>
    line.id === "r2" ? { ...line, timestamp: undefined } : line,
  ),
  severalFiles(
    "a failed run without usage, beside one with usage",
    () => ({ "a.jsonl": callerSession([scout({ exitCode: 1 }), worker(withCost(0.25))], undefined) }),
    1.25,
    2,
  ),
  severalFiles(
    "a version 1 session with a subagent, its upgraded copy and a fork of that, in a moved tree",
    () => {
      const run = [
        response(null, 1, 1),
        toolResult(null, 9, { details: { results: [scout({ ...A, ...withCost(0.5) })] } }),
      ];
      const parent = v1("call", run);
      const copy = upgraded(parent, "u");
      return {
        [fileName("call")]: parent,
        "copy.jsonl": copy,
        "b.jsonl": fork(copy, "bbbb", `/gone/${fileName("call")}`, [response("b1", 70, 2)]),
      };
    },
    3.5,
    3,
  ),
  severalFiles(
    "a run's session that was copied to the path of another run's",
    () => ({
      "a.jsonl": callerSession(
        [scout({ ...A, ...withCost(0.5) }), worker({ ...B, ...withCost(0.5) })],
        undefined,
      ),
      "subagent-artifacts/A.jsonl": runSession("A", 0.5),
      "subagent-artifacts/B.jsonl": runSession("A", 0.5),
    }),
    // One session under two names: no file shows that the second run cost anything.
    1.5,
    2,
  ),
  severalFiles(
    "a run with a session that has the copied prefix of its caller and nothing else",
    (root) => {
      const parent = callerSession([scout({ ...A, ...withCost(0.5) })], undefined);
      const prefix = v3("call", [prompt("q1", 0), response("a1", 1, 1)]);
      return {
        "a.jsonl": parent,
        "subagent-artifacts/A.jsonl": fork(prefix, "A", join(root, "a.jsonl"), [], { timestamp: at(2) }),
      };
    },
    1.5,
    2,
  ),
  severalFiles(
    "a run with a session that has only a header",
    () => ({
      "a.jsonl": callerSession([scout({ ...A, ...withCost(0.5) })], undefined),
      "subagent-artifacts/A.jsonl": v3("A", []),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a session that reports itself as its subagent",
    (root) => ({
      "a.jsonl": callerSession([scout({ sessionFile: join(root, "a.jsonl"), ...withCost(0.5) })], undefined),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "two sessions that report each other as subagents",
    (root) => ({
      "a.jsonl": v3("aaaa", [
        response("a1", 1, 1),
        toolResult("r1", 9, {
          details: { results: [scout({ sessionFile: join(root, "b.jsonl"), ...withCost(2) })] },
        }),
      ]),
      "b.jsonl": v3("bbbb", [
        response("b1", 2, 2),
        toolResult("r2", 10, {
          details: { results: [worker({ sessionFile: join(root, "a.jsonl"), ...withCost(1) })] },
        }),
      ]),
    }),
    3,
    2,
  ),
  severalFiles(
    "a tool result with a sum of zero beside runs without figures",
    () => ({
      "a.jsonl": callerSession([scout(A)], { total: 0 }),
      "subagent-artifacts/A.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a sum over one run, with a session that records less",
    () => ({
      "a.jsonl": callerSession([scout(A)], { total: 0.75 }),
      "subagent-artifacts/A.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a run identified by its artifact only, encoded as a URL",
    (root) => ({
      "a.jsonl": callerSession(
        [
          scout({
            artifactPaths: { jsonlPath: pathToFileURL(join(root, "x y/A.jsonl")).href },
            ...withCost(0.5),
          }),
        ],
        undefined,
      ),
      "x y/A.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a caller in a renamed folder, with its runs below its own name",
    () => ({
      "new/x_call.jsonl": callerSession(
        [scout({ sessionFile: "/gone/x_call/run-0/A.jsonl", ...withCost(0.5) })],
        undefined,
      ),
      "new/x_call/run-0/A.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
  ),
];
