import { join } from "node:path";
import { at, fork, response, v3 } from "../ledger-files.ts";
import { type LedgerCase, severalFiles, version3Session } from "./case.ts";

export const FORKS: LedgerCase[] = [
  severalFiles(
    "a fork with further responses",
    () => ({
      "a.jsonl": version3Session(),
      "b.jsonl": fork(version3Session(), "bbbb", "/x/a.jsonl", [response("b1", 70, 2)]),
    }),
    3.5,
    3,
  ),
  severalFiles(
    "a fork of a fork",
    (root) => {
      const b = fork(version3Session(), "bbbb", join(root, "a.jsonl"), [response("b1", 70, 2)]);
      const c = fork(b, "cccc", join(root, "b.jsonl"), [response("c1", 80, 4)], { timestamp: at(75) });
      return { "a.jsonl": version3Session(), "b.jsonl": b, "c.jsonl": c };
    },
    7.5,
    4,
  ),
  severalFiles(
    "a fork of a deleted parent",
    () => ({ "b.jsonl": fork(version3Session(), "bbbb", "/x/a.jsonl", [response("b1", 70, 2)]) }),
    3.5,
    3,
  ),
  severalFiles(
    "two forks of a deleted parent",
    () => ({
      "b.jsonl": fork(version3Session(), "bbbb", "/x/a.jsonl"),
      "c.jsonl": fork(version3Session(), "cccc", "/x/a.jsonl"),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a fork with an earlier creation time than its parent",
    (root) => ({
      "a.jsonl": version3Session(),
      "b.jsonl": fork(version3Session(), "bbbb", join(root, "a.jsonl"), [], { timestamp: at(-60) }),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a fork without a creation time",
    (root) => ({
      "a.jsonl": version3Session(),
      "b.jsonl": fork(version3Session(), "bbbb", join(root, "a.jsonl"), [], { timestamp: undefined }),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "a fork and its parent, continued at the same time for the same cost",
    (root) => {
      const parent = v3("aaaa", [response("a1", 1, 1), response("a2", 70, 2, "Same")]);
      const start = v3("aaaa", [response("a1", 1, 1)]);
      return {
        "a.jsonl": parent,
        "b.jsonl": fork(start, "bbbb", join(root, "a.jsonl"), [response("b2", 70, 2, "Same")]),
      };
    },
    5,
    3,
  ),
  severalFiles(
    "a copy with its text removed",
    () => ({ "a.jsonl": version3Session(), "b.jsonl": version3Session().replace("Answer a1", "[removed]") }),
    1.5,
    2,
  ),
  severalFiles(
    "a copy in another root",
    () => ({ "one/a.jsonl": version3Session(), "two/a.jsonl": version3Session() }),
    1.5,
    2,
    {
      roots: ["one", "two"],
    },
  ),
  severalFiles(
    "a hard link",
    () => ({ "a.jsonl": version3Session(), "b.jsonl": { link: "a.jsonl" } }),
    1.5,
    2,
  ),
  severalFiles(
    "a symbolic link",
    () => ({ "a.jsonl": version3Session(), "b.jsonl": { symlink: "a.jsonl" } }),
    1.5,
    2,
  ),
  severalFiles(
    "a copy without ids",
    (root) => ({
      "a.jsonl": version3Session().replaceAll(/"id":"[qa]\d",/g, ""),
      "b.jsonl": fork(version3Session().replaceAll(/"id":"[qa]\d",/g, ""), "bbbb", join(root, "a.jsonl")),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "unrelated sessions with the same id and time",
    () => ({ "a.jsonl": v3("aaaa", [response("x", 1, 1)]), "b.jsonl": v3("bbbb", [response("x", 1, 0.5)]) }),
    1.5,
    2,
  ),
  severalFiles(
    "unrelated sessions with the same id and cost",
    () => ({ "a.jsonl": v3("aaaa", [response("x", 1, 1)]), "b.jsonl": v3("bbbb", [response("x", 2, 1)]) }),
    2,
    2,
  ),
  severalFiles(
    "unrelated sessions with the same time and cost",
    () => ({ "a.jsonl": v3("aaaa", [response("x", 1, 1)]), "b.jsonl": v3("bbbb", [response("y", 1, 1)]) }),
    2,
    2,
  ),
  severalFiles(
    "a fork of one of two unrelated sessions with the same time and cost",
    (root) => {
      const a = v3("aaaa", [response("x", 1, 1)]);
      return {
        "a.jsonl": a,
        "b.jsonl": v3("bbbb", [response("y", 1, 1)]),
        "c.jsonl": fork(a, "cccc", join(root, "a.jsonl")),
      };
    },
    2,
    2,
  ),
];
