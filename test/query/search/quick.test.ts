import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { SearchResult } from "../../../library/index.ts";
import { indexed } from "../opened-queries.ts";

test("with few hits, a quick search finds the same as any other, page by page", async () => {
  const all = Array.from({ length: 9 }, (_, n) =>
    session({ id: `s${n}`, timestamp: `2026-01-0${n + 1}T09:00:00.000Z` }).user(
      `needle ${"and hay ".repeat(n)}`,
    ),
  );
  const { index } = await indexed(...all);
  const ids = ({ sessions }: SearchResult) => sessions.map((each) => each.session.id);
  const whole = await index.search("needle");
  // Scores depend on age, to the millisecond.
  const plain = (answer: SearchResult) =>
    JSON.parse(JSON.stringify(answer, (name, value) => (name === "score" ? undefined : value)));
  expect(plain(await index.search("needle", { quick: true }))).toEqual(plain(whole));
  for (const [first, second] of [
    [true, true],
    [true, false],
    [false, true],
  ] as const) {
    const page = await index.search("needle", { limit: 4, quick: first });
    const next = await index.search("needle", { limit: 9, quick: second, cursor: page.next ?? "" });
    expect([...ids(page), ...ids(next)]).toEqual(ids(whole));
  }
});

test("with many hits, a quick search ranks the newest and reports more; pages continue through all", async () => {
  const all = Array.from({ length: 30 }, (_, n) => {
    const many = session({
      id: `s${n}`,
      timestamp: `2026-01-${String(n + 1).padStart(2, "0")}T09:00:00.000Z`,
    });
    for (let m = 0; m < 40; m++) many.user(`needle ${m}`);
    return many;
  });
  const { index } = await indexed(...all);
  const quick = await index.search("needle", { quick: true, limit: 5 });
  expect([quick.hitCount, quick.more]).toEqual([250, true]);
  expect((await index.search("needle", { limit: 5 })).hitCount).toBe(1200);
  const seen = new Set<string>();
  for (let page: SearchResult | undefined = quick; page; ) {
    for (const { session } of page.sessions) seen.add(session.id);
    const { next }: SearchResult = page;
    page =
      next === undefined ? undefined : await index.search("needle", { quick: true, limit: 5, cursor: next });
  }
  expect(seen.size).toBe(30);
});
