import { join } from "node:path";
import { at, costEntry, fork, prompt, response, responseWith, usage, v1, v3 } from "../ledger-files.ts";
import {
  callerSession,
  type LedgerCase,
  scout,
  severalFiles,
  singleFile,
  version1Session,
  version3Session,
  withCost,
} from "./case.ts";

const doubled = (text: string): string => `${text}${text}`;

/** Files that agents write rarely or never. */
export const UNUSUAL_FILES: LedgerCase[] = [
  severalFiles(
    "forks of forks in three roots",
    (root) => {
      const b = fork(version3Session(), "bbbb", join(root, "one/a.jsonl"), [response("b1", 70, 2)]);
      const c = fork(b, "cccc", join(root, "two/b.jsonl"), [response("c1", 80, 4)], { timestamp: at(75) });
      return { "one/a.jsonl": version3Session(), "two/b.jsonl": b, "three/c.jsonl": c };
    },
    7.5,
    4,
    { roots: ["one", "two", "three"], usdByRoot: [1.5, 3.5, 7.5] },
  ),
  severalFiles(
    "a fork with own responses that are older than the copied ones",
    (root) => ({
      "a.jsonl": version3Session(),
      "b.jsonl": fork(version3Session(), "bbbb", join(root, "a.jsonl"), [response("b1", -5000, 2)]),
    }),
    3.5,
    3,
  ),
  severalFiles(
    "a copy with its usage removed",
    () => ({ "a.jsonl": version3Session(), "b.jsonl": version3Session().replace('"usage":{', '"was":{') }),
    1.5,
    2,
  ),
  severalFiles(
    "a copy with the details of a tool result removed",
    () => {
      const parent = callerSession([scout(withCost(0.5))], undefined);
      return { "a.jsonl": parent, "b.jsonl": parent.replace('"details":{', '"was":{') };
    },
    1.5,
    2,
  ),
  singleFile("a file appended to itself", doubled(version3Session()), 1.5, 26),
  singleFile("a file with Windows line endings", version3Session().replaceAll("\n", "\r\n"), 1.5, 26),
  singleFile("a file with a byte order mark", `\ufeff${version3Session()}`, 1.5, 26),
  singleFile("a file without a final newline", version3Session().trimEnd(), 1.5, 26),
  singleFile(
    "cached tokens, and tokens that are parts of others",
    v3("a", [
      responseWith("x", 1, {
        ...{ input: 10, output: 3, cacheRead: 100, cacheWrite: 20 },
        ...{ cacheWrite1h: 5, reasoning: 2, totalTokens: 9999, cost: { total: 0.5 } },
      }),
    ]),
    0.5,
    133,
  ),
  singleFile(
    "cached tokens that are negative, a string, and infinite",
    v3("a", [
      '{"type":"message","id":"x","timestamp":"2026-01-05T09:01:00.000Z","message":{"role":"assistant","usage":{"input":10,"output":3,"cacheRead":-100,"cacheWrite":"20","cacheWrite1h":1e400,"cost":{"total":0.5}}}}',
    ]),
    0.5,
  ),
  singleFile(
    "a total that is a string beside parts",
    v3("a", [responseWith("x", 1, usage({ total: "0.5", input: 0.25 }))]),
    0.25,
  ),
  singleFile(
    "a cost in another currency",
    v3("a", [responseWith("x", 1, usage({ total: 0.5, currency: "EUR" }))]),
    0.5,
  ),
  singleFile("a cost that is an array", v3("a", [responseWith("x", 1, usage([0.5]))]), 0),
  singleFile("a cost that is true", v3("a", [responseWith("x", 1, usage(true))]), 0),
  singleFile(
    "a fraction of a cent a thousand times",
    v3(
      "a",
      Array.from({ length: 1000 }, (_, n) => response(`x${n}`, n, 1 / 512)),
    ),
    1000 / 512,
    13_000,
  ),
  severalFiles(
    "a compaction, a usage entry and a summary that a fork copied",
    (root) => {
      const parent = v3("aaaa", [
        costEntry("compaction", "c", 1, 0.5, { summary: "S" }),
        costEntry("usage", "u", 2, 0.25, { kind: "title", model: "opus" }),
        costEntry("branch_summary", "s", 3, 0.125, { summary: "B" }),
      ]);
      return { "a.jsonl": parent, "b.jsonl": fork(parent, "bbbb", join(root, "a.jsonl")) };
    },
    0.875,
    3,
  ),
  severalFiles(
    "a session that OpenClaw reset, and the one after it",
    () => ({
      "aaaa.jsonl.reset.2026-01-05T10-00-00.000Z": version3Session(),
      "aaaa.jsonl": v3("aaaa", [response("n1", 70, 2)], { timestamp: at(65) }),
    }),
    3.5,
    3,
  ),
  severalFiles(
    "a fork with another model name in a copied response",
    (root) => ({
      "a.jsonl": version3Session(),
      "b.jsonl": fork(
        version3Session().replace('"model":"opus"', '"model":"opus","responseModel":"opus"'),
        "bbbb",
        join(root, "a.jsonl"),
      ),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a fork that wrote the figures of its parent with more digits",
    (root) => ({
      "a.jsonl": v3("aaaa", [response("a1", 1, 0.3)]),
      "b.jsonl": fork(v3("aaaa", [response("a1", 1, 0.1 + 0.2)]), "bbbb", join(root, "a.jsonl")),
    }),
    0.3,
    1,
  ),
  severalFiles(
    "a fork that omits a response in the middle, and its continued parent",
    (root) => ({
      "a.jsonl": `${version3Session()}${JSON.stringify(response("a3", 90, 4))}\n`,
      "b.jsonl": fork(v3("aaaa", [response("a2", 2, 0.5)]), "bbbb", join(root, "a.jsonl"), [
        response("b1", 70, 2),
      ]),
    }),
    7.5,
    4,
  ),
  severalFiles(
    "a response that a version 1 session and a version 3 session share by time only",
    () => ({ "a.jsonl": v1("aaaa", [response(null, 1, 1)]), "b.jsonl": v3("bbbb", [response("x", 1, 1)]) }),
    2,
    2,
  ),
  severalFiles(
    "a version 1 session with its first lines removed, and its complete copy",
    () => ({
      "a.jsonl": version1Session(),
      "b.jsonl": v1("aaaa", [response(null, 2, 0.5), prompt(null, 3), response(null, 4, 0.25)]),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "a version 1 session with two equal responses, and a copy that lacks one",
    () => ({
      "a.jsonl": v1("aaaa", [response(null, 1, 1, "Same"), response(null, 1, 1, "Same")]),
      "b.jsonl": v1("aaaa", [response(null, 1, 1, "Same")]),
    }),
    2,
    2,
  ),
];
