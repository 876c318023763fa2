import { join } from "node:path";
import { at, fileName, fork, prompt, response, upgraded, v1 } from "../ledger-files.ts";
import { type LedgerCase, severalFiles, version1Session } from "./case.ts";

export const VERSION_1: LedgerCase[] = [
  severalFiles(
    "unrelated sessions with the same time and cost",
    () => ({ "a.jsonl": version1Session("aaaa"), "b.jsonl": version1Session("bbbb") }),
    3.5,
    6,
  ),
  severalFiles("a copy", () => ({ "a.jsonl": version1Session(), "b.jsonl": version1Session() }), 1.75, 3),
  severalFiles(
    "a branch",
    () => ({
      [fileName("aaaa")]: version1Session(),
      "b.jsonl": version1Session("bbbb").replace('"cwd"', `"branchedFrom":"/x/${fileName("aaaa")}","cwd"`),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "a copy that pi upgraded",
    () => ({ "a.jsonl": version1Session(), "b.jsonl": upgraded(version1Session(), "u") }),
    1.75,
    3,
  ),
  severalFiles(
    "a copy that pi upgraded and continued",
    () => ({
      "a.jsonl": version1Session(),
      "b.jsonl": `${upgraded(version1Session(), "u")}${JSON.stringify(response("u9", 90, 2))}\n`,
    }),
    3.75,
    4,
  ),
  severalFiles(
    "two copies that pi upgraded, and the original",
    () => ({
      "a.jsonl": version1Session(),
      "b.jsonl": upgraded(version1Session(), "u"),
      "c.jsonl": upgraded(version1Session(), "v"),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "two copies that pi upgraded, without the original",
    () => ({ "b.jsonl": upgraded(version1Session(), "u"), "c.jsonl": upgraded(version1Session(), "v") }),
    1.75,
    3,
  ),
  severalFiles(
    "a fork of the upgraded copy",
    (root) => ({
      [fileName("aaaa")]: version1Session(),
      "b.jsonl": fork(upgraded(version1Session(), "u"), "bbbb", join(root, fileName("aaaa")), [
        response("b1", 70, 2),
      ]),
    }),
    3.75,
    4,
  ),
  severalFiles(
    "a fork of the upgraded copy, which is in a deleted folder",
    () => ({
      [fileName("aaaa")]: version1Session(),
      "b.jsonl": fork(upgraded(version1Session(), "u"), "bbbb", `/gone/${fileName("aaaa")}`),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "the same with file names without ids",
    () => ({
      "here/a.jsonl": version1Session(),
      "there/b.jsonl": fork(upgraded(version1Session(), "u"), "bbbb", "/gone/a.jsonl"),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "the same on Windows",
    () => ({
      [fileName("aaaa")]: version1Session(),
      "b.jsonl": fork(upgraded(version1Session(), "u"), "bbbb", `C:\\gone\\${fileName("aaaa")}`),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "a fork of a fork of the upgraded copy, with all of these",
    (root) => {
      const b = upgraded(version1Session(), "u");
      const c = fork(b, "cccc", join(root, "b.jsonl"), [response("c1", 70, 2)]);
      const d = fork(c, "dddd", join(root, "c.jsonl"), [response("d1", 80, 4)], { timestamp: at(75) });
      return { "a.jsonl": version1Session(), "b.jsonl": b, "c.jsonl": c, "d.jsonl": d };
    },
    7.75,
    5,
  ),
  severalFiles(
    "forks of two deleted upgraded copies",
    () => ({
      "b.jsonl": fork(upgraded(version1Session(), "u"), "bbbb", `/x/${fileName("aaaa")}`),
      "c.jsonl": fork(upgraded(version1Session(), "v"), "cccc", `/y/${fileName("aaaa")}`),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "original and upgraded copy in two roots",
    () => ({ "one/a.jsonl": version1Session(), "two/a.jsonl": upgraded(version1Session(), "u") }),
    1.75,
    3,
    { roots: ["one", "two"] },
  ),
  severalFiles(
    "an upgraded copy with its texts removed",
    () => ({
      "a.jsonl": version1Session(),
      "b.jsonl": upgraded(version1Session(), "u").replaceAll("Answer null", "[removed]"),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "two events with the same time and cost, and their upgraded copy",
    () => {
      const twins = v1("aaaa", [prompt(null, 0), response(null, 1, 1, "Same"), response(null, 1, 1, "Same")]);
      return { "a.jsonl": twins, "b.jsonl": upgraded(twins, "u") };
    },
    2,
    2,
  ),
  severalFiles(
    "an upgraded copy of one of two unrelated sessions",
    () => ({
      "a.jsonl": version1Session("aaaa"),
      "b.jsonl": version1Session("bbbb"),
      "c.jsonl": upgraded(version1Session("bbbb"), "u"),
    }),
    3.5,
    6,
  ),
  severalFiles(
    "a fork of an upgraded session, continued at the same time as its parent",
    (root) => {
      const start = v1("aaaa", [prompt(null, 0), response(null, 1, 1)]);
      const copy = upgraded(start, "u");
      return {
        "a.jsonl": `${start}${JSON.stringify({ ...response(null, 70, 2, "Same"), id: undefined })}\n`,
        "b.jsonl": `${copy}${JSON.stringify(response("b2", 70, 2, "Same"))}\n`,
        "c.jsonl": fork(copy, "cccc", join(root, "b.jsonl"), [response("c2", 70, 2, "Same")]),
      };
    },
    5,
    3,
  ),
  // Not recognized: nothing in the files shows that they are related.
  severalFiles(
    "an upgraded copy with another session id and no parent",
    () => ({ "a.jsonl": version1Session("aaaa"), "b.jsonl": upgraded(version1Session("bbbb"), "u") }),
    3.5,
    6,
  ),
];
