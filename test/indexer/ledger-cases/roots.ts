import { join } from "node:path";
import { at, fork, response, toolResult, v3 } from "../ledger-files.ts";
import { callerSession, type LedgerCase, runSession, scout, severalFiles, withCost, worker } from "./case.ts";

const A = { sessionFile: "/x/subagent-artifacts/A.jsonl" };
const inRoots = { roots: ["one", "two"] };
const inRootTwo = (root: string, name: string) => ({
  sessionFile: join(root, "two/subagent-artifacts", name),
});

export const ROOTS: LedgerCase[] = [
  severalFiles(
    "a run with a session in the other root",
    (root) => ({
      "one/a.jsonl": callerSession([scout({ ...inRootTwo(root, "A.jsonl"), ...withCost(0.5) })], undefined),
      "two/subagent-artifacts/A.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
    { ...inRoots, usdByRoot: [1.5, 0.5] },
  ),
  severalFiles(
    "a sum over two runs, one of which has a session in the other root",
    (root) => ({
      "one/a.jsonl": callerSession([scout(inRootTwo(root, "A.jsonl")), worker(A)], { total: 0.75 }),
      "two/subagent-artifacts/A.jsonl": runSession("A", 0.5),
    }),
    1.75,
    2,
    { ...inRoots, usdByRoot: [1.75, 0.5] },
  ),
  severalFiles(
    "a sum over three runs, with a session in each",
    (root) => ({
      "one/a.jsonl": callerSession([scout(inRootTwo(root, "B.jsonl")), worker(A), worker()], { total: 1 }),
      "one/subagent-artifacts/A.jsonl": runSession("A", 0.25),
      "two/subagent-artifacts/B.jsonl": runSession("B", 0.5),
    }),
    2,
    3,
    { ...inRoots, usdByRoot: [2, 0.5] },
  ),
  severalFiles(
    "a sum over two runs, all with sessions, one of these in the other root",
    (root) => ({
      "one/a.jsonl": callerSession([scout(inRootTwo(root, "B.jsonl")), worker(A)], { total: 0.75 }),
      "one/subagent-artifacts/A.jsonl": runSession("A", 0.25),
      "two/subagent-artifacts/B.jsonl": runSession("B", 0.5),
    }),
    1.75,
    3,
    { ...inRoots, usdByRoot: [1.75, 0.5] },
  ),
  severalFiles(
    "two sums over runs, one of which was resumed in a session in the other root",
    (root) => {
      const results = [scout(inRootTwo(root, "A.jsonl")), worker(A)];
      return {
        "one/a.jsonl": v3("call", [
          response("a1", 1, 1),
          toolResult("r1", 9, { ...withCost({ total: 0.75 }), details: { results } }),
          toolResult("r2", 19, { ...withCost({ total: 1 }), details: { results } }),
        ]),
        "two/subagent-artifacts/A.jsonl": v3("A", [response("A0", 3, 0.5), response("A1", 15, 0.5)], {
          timestamp: at(2),
        }),
      };
    },
    2.75,
    3,
    { ...inRoots, usdByRoot: [2.75, 1] },
  ),
  severalFiles(
    "two such sums at the same time",
    (root) => {
      const results = [scout(inRootTwo(root, "B.jsonl")), worker(A), worker()];
      const reports = ["r1", "r2"].map((id) =>
        toolResult(id, 19, { ...withCost({ total: 2 }), details: { results } }),
      );
      const resumed = (id: string, usd: number) =>
        v3(id, [response(`${id}0`, 3, usd), response(`${id}1`, 15, usd)], { timestamp: at(2) });
      return {
        "one/a.jsonl": v3("call", [response("a1", 1, 1), ...reports]),
        "one/subagent-artifacts/A.jsonl": resumed("A", 0.25),
        "two/subagent-artifacts/B.jsonl": resumed("B", 0.5),
      };
    },
    5,
    6,
    { ...inRoots, usdByRoot: [5, 1] },
  ),
  severalFiles(
    "a fork of a session with such a sum in the other root, beside a run's session",
    (root) => {
      const parent = callerSession(
        [scout(inRootTwo(root, "A.jsonl")), worker({ sessionFile: "/x/W.jsonl" })],
        {
          total: 0.75,
        },
      );
      return {
        "one/a.jsonl": parent,
        "two/b.jsonl": fork(parent, "bbbb", join(root, "one/a.jsonl"), [response("b1", 70, 2)]),
        "two/subagent-artifacts/A.jsonl": runSession("A", 0.5),
      };
    },
    3.75,
    3,
    { ...inRoots, usdByRoot: [1.75, 3.75] },
  ),
];
