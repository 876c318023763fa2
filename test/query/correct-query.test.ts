import { expect, test } from "vitest";
import { correctQuery } from "../../query/correct-query.ts";

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
