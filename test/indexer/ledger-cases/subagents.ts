import { join } from "node:path";
import { at, type Fields, fork, prompt, response, toolResult, upgraded, v1, v3 } from "../ledger-files.ts";
import { callerSession, type LedgerCase, runSession, scout, severalFiles, withCost, worker } from "./case.ts";

const A = { sessionFile: "/x/subagent-artifacts/A.jsonl" };
const B = { sessionFile: "/x/subagent-artifacts/B.jsonl" };
const sessionOf = (name: string, ...usd: number[]): Record<string, string> => ({
  [`subagent-artifacts/${name}.jsonl`]: runSession(name, ...usd),
});

export const SUBAGENTS: LedgerCase[] = [
  severalFiles(
    "without sessions of their own",
    () => ({ "a.jsonl": callerSession([scout(withCost(0.5)), worker(withCost(0.25))], undefined) }),
    1.75,
    3,
  ),
  severalFiles(
    "one of which has a session",
    () => ({
      "a.jsonl": callerSession([scout({ ...A, ...withCost(0.5) }), worker(withCost(0.25))], undefined),
      ...sessionOf("A", 0.5),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "that all have sessions",
    () => ({
      "a.jsonl": callerSession([scout({ ...A, ...withCost(0.5) }), worker({ ...B, ...withCost(0.25) })], {
        total: 0.75,
      }),
      ...sessionOf("A", 0.5),
      ...sessionOf("B", 0.25),
    }),
    1.75,
    3,
  ),
  {
    ...severalFiles(
      "in a sum, without sessions",
      () => ({ "a.jsonl": callerSession([scout(A), worker(B)], { total: 0.75 }) }),
      1.75,
      2,
    ),
  },
  // The sum has 13 tokens, as many as the session of A: no tokens are left for B.
  severalFiles(
    "in a sum, one of which has a session",
    () => ({ "a.jsonl": callerSession([scout(A), worker(B)], { total: 0.75 }), ...sessionOf("A", 0.5) }),
    1.75,
    2,
  ),
  severalFiles(
    "in a sum that is a number, one of which has a session",
    () => ({ "a.jsonl": callerSession([scout(A), worker(B)], 0.75), ...sessionOf("A", 0.5) }),
    1.75,
    2,
  ),
  severalFiles(
    "in a sum, and the other one reports its part",
    () => ({
      "a.jsonl": callerSession([scout(A), worker({ ...B, ...withCost(0.25) })], { total: 0.75 }),
      ...sessionOf("A", 0.5),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "in a sum, and the one with a session reports its part",
    () => ({
      "a.jsonl": callerSession([scout({ ...A, ...withCost(0.5) }), worker(B)], { total: 0.75 }),
      ...sessionOf("A", 0.5),
    }),
    1.75,
    2,
  ),
  severalFiles(
    "in a sum, all with sessions",
    () => ({
      "a.jsonl": callerSession([scout(A), worker(B)], { total: 0.75 }),
      ...sessionOf("A", 0.5),
      ...sessionOf("B", 0.25),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "in a sum that is less than the usage of one session",
    () => ({ "a.jsonl": callerSession([scout(A), worker(B)], { total: 0.75 }), ...sessionOf("A", 0.5, 0.5) }),
    2,
    3,
  ),
  severalFiles(
    "in a sum that a fork copied",
    (root) => {
      const parent = callerSession([scout(A), worker(B)], { total: 0.75 });
      return {
        "a.jsonl": parent,
        ...sessionOf("A", 0.5),
        "b.jsonl": fork(parent, "bbbb", join(root, "a.jsonl")),
      };
    },
    1.75,
    2,
  ),
  severalFiles(
    "with a session that continues its caller's",
    (root) => {
      const parent = callerSession([scout({ ...A, ...withCost(0.5) })], undefined);
      const start = v3("call", [prompt("q1", 0), response("a1", 1, 1)]);
      return {
        "a.jsonl": parent,
        "subagent-artifacts/A.jsonl": fork(start, "A", join(root, "a.jsonl"), [response("A1", 3, 0.5)], {
          timestamp: at(2),
        }),
      };
    },
    1.5,
    2,
  ),
  severalFiles(
    "with a session in the folder of its deleted caller, in a moved tree, and a fork of that",
    () => {
      const A = { sessionFile: "/old/x_call/run-0/A.jsonl" };
      const parent = callerSession([scout({ ...A, ...withCost(0.5) })], undefined);
      return {
        "x_call/run-0/A.jsonl": runSession("A", 0.5),
        "b.jsonl": fork(parent, "bbbb", "/old/x_call.jsonl", [response("b1", 70, 2)]),
      };
    },
    3.5,
    3,
  ),
  severalFiles(
    "with a copied session",
    () => ({
      "a.jsonl": callerSession([scout(A), worker(B)], { total: 0.75 }),
      ...sessionOf("A", 0.5),
      "copy.jsonl": runSession("A", 0.5),
    }),
    1.75,
    2,
  ),
  severalFiles(
    "that have subagents",
    () => ({
      "a.jsonl": callerSession([scout({ ...A, ...withCost(0.5) })], undefined),
      "subagent-artifacts/A.jsonl": v3(
        "A",
        [
          response("A1", 3, 0.5),
          toolResult("A2", 4, { details: { results: [worker({ ...B, ...withCost(0.25) })] } }),
        ],
        { timestamp: at(2) },
      ),
      ...sessionOf("B", 0.25),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "in a tool result of a version 1 session and its upgraded copy",
    () => {
      const parent = v1("call", [
        response(null, 1, 1),
        toolResult(null, 9, { details: { results: [scout(withCost(0.5))] } }),
      ]);
      return { "a.jsonl": parent, "b.jsonl": upgraded(parent, "u") };
    },
    1.5,
    2,
  ),
];

/** An oh-my-pi session that costs $1.00, and the tasks that it called. */
const tasks = (results: Fields[]): string =>
  v3("call", [response("a1", 1, 1), toolResult("r1", 9, { toolName: "task", details: { results } })]);

export const TASKS: LedgerCase[] = [
  severalFiles(
    "with ids only, one of which has a session",
    () => ({
      "x_call.jsonl": tasks([
        { id: "0-A", agent: "task", ...withCost(0.5) },
        { id: "1-B", agent: "task", ...withCost(0.25) },
      ]),
      "x_call/0-A.jsonl": runSession("A", 0.5),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "of a session copied under another name",
    () => ({
      "new.jsonl": tasks([{ id: "0-A", agent: "task", outputPath: "/gone/x_call/0-A.md", ...withCost(0.5) }]),
      "new/0-A.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "of a deleted session, and its fork",
    () => ({
      "x_call/0-A.jsonl": runSession("A", 0.5),
      "b.jsonl": fork(tasks([{ id: "0-A", agent: "task", ...withCost(0.5) }]), "bbbb", "/gone/x_call.jsonl", [
        response("b1", 70, 2),
      ]),
    }),
    3.5,
    3,
  ),
];
