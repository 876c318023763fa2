import { join } from "node:path";
import { at, response, upgraded, usage, v3 } from "../ledger-files.ts";
import { type LedgerCase, severalFiles, version1Session, version3Session } from "./case.ts";

const checkpoint = (id: string) => `${id}.checkpoint.7c9e6679-7425-40de-944b-e07fc1f90ae7.jsonl`;

export const CHECKPOINTS: LedgerCase[] = [
  severalFiles(
    "of a session that continues",
    () => ({
      "aaaa.jsonl": `${version3Session()}${JSON.stringify(response("a3", 70, 2))}\n`,
      [checkpoint("aaaa")]: version3Session(),
    }),
    3.5,
    3,
    { usdByFile: { "aaaa.jsonl": 3.5, [checkpoint("aaaa")]: 0 } },
  ),
  severalFiles(
    "of a session truncated to its end",
    () => ({
      "aaaa.jsonl": v3("aaaa", [response("a2", 2, 0.5), response("a3", 70, 2)]),
      [checkpoint("aaaa")]: version3Session(),
    }),
    3.5,
    3,
    { usdByFile: { "aaaa.jsonl": 2.5, [checkpoint("aaaa")]: 1 } },
  ),
];

const PARENT = "0199a3f0-5b6c-7d8e-9f00-112233445566";
const primeLines = [
  response("a1", 1, 1),
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
  v3("kkkk", [response("k1", 3, 2)], {
    timestamp: at(2),
    parentSession: join(root, `one/sessions/${PARENT}.jsonl`),
  });
const inPrimeRoots = { roots: ["one/sessions", "one/session-artifacts", "two/sessions"] };

export const COPIES: LedgerCase[] = [
  severalFiles(
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
  severalFiles(
    "of a deleted prime-agent parent",
    (root) => ({
      [`one/session-artifacts/${PARENT}/sub-1/kkkk.jsonl`]: primeChild(root),
      [`two/sessions/${PARENT}.jsonl`]: v3(PARENT, primeLines),
    }),
    3,
    2,
    inPrimeRoots,
  ),
  severalFiles(
    "that continued differently",
    () => ({
      "one/a.jsonl": `${version3Session()}${JSON.stringify(response("a3", 70, 2))}\n`,
      "two/a.jsonl": `${version3Session()}${JSON.stringify(response("a4", 80, 4))}\n`,
    }),
    7.5,
    4,
    { roots: ["one", "two"], usdByRoot: [3.5, 5.5] },
  ),
  severalFiles(
    "of a version 1 session that continued differently",
    () => ({
      "one/a.jsonl": `${version1Session()}${JSON.stringify({ ...response(null, 70, 2), id: undefined })}\n`,
      "two/a.jsonl": `${version1Session()}${JSON.stringify({ ...response(null, 80, 4), id: undefined })}\n`,
    }),
    7.75,
    5,
    { roots: ["one", "two"], usdByRoot: [3.75, 5.75] },
  ),
  severalFiles(
    "of a version 1 session that were both upgraded and continued differently",
    () => ({
      "one/a.jsonl": `${upgraded(version1Session(), "u")}${JSON.stringify(response("u9", 70, 2))}\n`,
      "two/a.jsonl": `${upgraded(version1Session(), "v")}${JSON.stringify(response("v9", 80, 4))}\n`,
    }),
    7.75,
    5,
    { roots: ["one", "two"], usdByRoot: [3.75, 5.75] },
  ),
];
