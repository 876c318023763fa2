import { expect, test } from "vitest";
import { correctQuery, formatUnknownWords } from "../../../bin/format/closest.ts";

test.each([
  ["permision stub", "permission stub"],
  ["Permision stub*", "permission stub*"],
  ["stub permision*", "stub permission*"],
  ["permision permision", "permission permission"],
  ["project:permision (stub OR permision)", "project:permision (stub OR permission)"],
  ["-permision stub", undefined],
  ['"permision" stub', undefined],
  ["stub", undefined],
  ["", undefined],
])("%j is corrected to %j", (query, corrected) => {
  expect(correctQuery(query, [{ from: "permision", to: "permission" }])).toBe(corrected);
});

test.each([
  [["prjct:shop"], "Not in the index: prjct:shop. prjct: is not a field; did you mean project:?"],
  [["has:foo"], "Not in the index: has:foo. has: is not a field"],
  [["http://x"], "Not in the index: http://x"],
  [["std::move"], "Not in the index: std::move"],
  [["vscode"], "Not in the index: vscode"],
])("of unknown words %j, one that looks like a field is named", (unfound, notice) => {
  expect(formatUnknownWords({ unfound })).toBe(notice);
});
