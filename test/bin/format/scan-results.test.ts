import { expect, test } from "vitest";
import { ScanResults } from "../../../bin/format/scan-results.ts";

test("rows that were shown stay as they are when further hits arrive", () => {
  const results = new ScanResults<{ path: string }, { path: string }>(2);
  results.add({ session: { path: "/a" } });
  const [first] = results.rows;
  for (let n = 0; n < 3; n++) results.add({ hit: { path: "/a" } });
  expect(first).toEqual({ session: { path: "/a" }, hits: [], hitCount: 0 });
  expect(results.rows).toEqual([
    { session: { path: "/a" }, hits: [{ path: "/a" }, { path: "/a" }], hitCount: 3 },
  ]);
});
