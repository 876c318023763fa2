import { expect, test } from "vitest";
import { SessionHits } from "../../../bin/picker/session-hits.ts";
import { sampleHit } from "./sample-state.ts";

test("the first hit of a session that was listed for its title is in a message, not its name", () => {
  const hits = new SessionHits();
  hits.start({ hits: [], hitCount: 0, hasUnknownHits: true }, true);
  expect(hits.areAllKnown).toBe(false);
  expect(hits.goToFirst()).toBe(false);
  hits.setAll([
    { ...sampleHit("its name"), type: "session_info", line: 2 },
    { ...sampleHit("a message"), line: 9 },
  ]);
  expect(hits.line).toBeUndefined();
  expect(hits.goToFirst()).toBe(true);
  expect(hits.line).toBe(9);
});

test("the maximum number of hits is not shown as the number of all", () => {
  const hits = new SessionHits();
  const all = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...sampleHit("a"), line: n + 2 }));
  hits.setAll(all(999));
  expect(hits.format()).toBe("999 hits");
  hits.setAll(all(1000));
  expect(hits.format()).toBe("1,000+ hits");
  hits.step(1);
  expect(hits.format()).toBe("1 of 1,000+ hits");
});
