import { join } from "node:path";
import {
  at,
  type Fields,
  fileName,
  fork,
  type Line,
  response,
  responseWith,
  usage,
  v3,
} from "../ledger-files.ts";
import { type LedgerCase, severalFiles } from "./case.ts";

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
  v3("pppp", [responseWith("a1", 1, { input: 20, output: 6, cost: { total: 3 } }), attributed(2), ...more]);
const primeForkRewritten = (parent: string): string =>
  fork(primeRewritten(), "ffff", parent, [response("f1", 70, 4)]);
const PRIME_ROOTS = { roots: ["sessions", "session-artifacts"] };
const primeParent = (header: Fields = {}): string =>
  v3("pppp", [response("a1", 1, 1), attributed(2)], header);
const primeChild = (header: Fields = {}): Record<string, string> => ({
  "session-artifacts/pppp/sub-1/kkkk.jsonl": v3("kkkk", [response("k1", 3, 2)], {
    timestamp: at(2),
    ...header,
  }),
});
const primeFork = (parent: string): string => fork(primeParent(), "ffff", parent, [response("f1", 70, 4)]);

export const PRIME: LedgerCase[] = [
  severalFiles(
    "a parent and its child",
    () => ({ "sessions/pppp.jsonl": primeParent(), ...primeChild() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  severalFiles(
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
  severalFiles(
    "a child and a fork of its deleted parent",
    (root) => ({
      ...primeChild(),
      "sessions/ffff.jsonl": primeFork(join(root, "sessions/pppp.jsonl")),
    }),
    7,
    3,
    PRIME_ROOTS,
  ),
  severalFiles(
    "the same after the whole tree was moved",
    () => ({ ...primeChild(), "sessions/ffff.jsonl": primeFork("/gone/sessions/pppp.jsonl") }),
    7,
    3,
    PRIME_ROOTS,
  ),
  severalFiles(
    "a fork with a deleted child, and the child of its parent",
    (root) => ({
      "sessions/pppp.jsonl": primeParent(),
      ...primeChild(),
      "sessions/ffff.jsonl": fork(primeParent(), "ffff", join(root, "sessions/pppp.jsonl"), [
        response("f1", 70, 4),
        attributed(8, { id: "x2", timestamp: at(71), targetId: "f1", aggregateUsage: undefined }),
      ]),
    }),
    15,
    4,
    PRIME_ROOTS,
  ),
  severalFiles(
    "a parent with a time in its file name, and its child",
    () => ({ [`sessions/${fileName("pppp")}`]: primeParent(), ...primeChild() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  severalFiles(
    "a rewritten parent, and its child",
    () => ({ "sessions/pppp.jsonl": primeRewritten(), ...primeChild() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  severalFiles(
    "a rewritten parent with a deleted child",
    () => ({ "sessions/pppp.jsonl": primeRewritten() }),
    3,
    2,
    PRIME_ROOTS,
  ),
  severalFiles(
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
  severalFiles(
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
  severalFiles(
    "such a fork alone",
    (root) => ({ "sessions/ffff.jsonl": primeForkRewritten(join(root, "sessions/pppp.jsonl")) }),
    7,
    3,
    PRIME_ROOTS,
  ),
  severalFiles(
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
