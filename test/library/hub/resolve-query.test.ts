import { expect, test, vi } from "vitest";
import { resolveQuery } from "../../../library/hub/resolve-query.ts";

test("dates in a query of a hub are those of this machine, ages stay", () => {
  vi.stubEnv("TZ", "Pacific/Kiritimati"); // UTC+14
  expect(resolveQuery("tax since:2026-01-31 until:2026-02")).toBe(
    "tax since:2026-01-30T10:00:00.000Z until:2026-01-31T10:00:00.000Z",
  );
  expect(resolveQuery('since:"last year" tax')).toMatch(/^since:\d{4}-12-31T10:00:00\.000Z tax$/);
  for (const query of ["tax since:7d", 'since:"3 days ago" tax', "since:2-weeks-ago", "since:soon"]) {
    expect(resolveQuery(query)).toBe(query);
  }
  vi.unstubAllEnvs();
});
