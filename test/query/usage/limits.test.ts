import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { UsageOptions } from "../../../library/index.ts";
import { indexed } from "../opened-queries.ts";

/** Two months with four models each: the second month costs less than the first. */
async function twoMonths() {
  const work = session({ id: "work", timestamp: "2026-01-05T09:00:00.000Z" });
  for (const [month, factor] of [
    ["2026-01", 10],
    ["2026-02", 1],
  ] as const) {
    for (const [n, model] of ["haiku", "sonnet", "opus", "fable"].entries()) {
      const usage = { input: 10, output: 1, cost: { total: (n + 1) * factor } };
      work.assistant("Done.", { model, usage, timestamp: `${month}-10T0${n}:00:00.000Z` });
    }
  }
  return (await indexed(work)).index;
}

const usage = async (options: UsageOptions) => (await twoMonths()).usage({ timeZone: "UTC", ...options });

describe("with a limit on rows", () => {
  test("the sum of a group includes all its rows", async () => {
    const { groups, total } = await usage({ by: ["month", "model"], limit: 6 });
    expect(groups?.map(({ key, costUsd, rowCount }) => [key.month, costUsd, rowCount])).toEqual([
      ["2026-01", 100, 4],
      ["2026-02", 10, 4],
    ]);
    expect(total.costUsd).toBe(110);
  });

  test("a group that exceeds the limit keeps its most expensive rows, and sums up the others", async () => {
    const { rows, groups, others } = await usage({ by: ["month", "model"], limit: 6 });
    expect(rows.map(({ key, costUsd }) => [key.month, costUsd])).toEqual([
      ["2026-01", 40],
      ["2026-01", 30],
      ["2026-02", 4],
      ["2026-02", 3],
      ["2026-02", 2],
      ["2026-02", 1],
    ]);
    expect(groups?.map((group) => group.others?.costUsd)).toEqual([30, undefined]);
    expect(others?.costUsd).toBe(30);
  });

  test("a group of periods that exceeds the limit keeps its newest rows", async () => {
    const { rows } = await usage({ by: ["model", "month"], limit: 3 });
    expect(rows.map(({ key }) => Object.values(key).join(" "))).toEqual([
      "anthropic/fable 2026-01",
      "anthropic/fable 2026-02",
      "anthropic/opus 2026-02",
    ]);
  });

  test("of two dimensions without periods, the most expensive rows are kept, whatever their group", async () => {
    const spent = (usd: number) => ({ usage: { input: 1, output: 1, cost: { total: usd } } });
    const [shop, blog] = ["shop", "blog"].map((name) => session({ id: name, cwd: `/home/ada/${name}` }));
    shop
      ?.user("Go.")
      .assistant("Done.", { ...spent(5), model: "opus" })
      .assistant("Done.", { ...spent(1), model: "haiku" });
    blog
      ?.user("Go.")
      .assistant("Done.", { ...spent(2), model: "opus" })
      .assistant("Done.", { ...spent(3), model: "haiku" });
    const { index } = await indexed(...[shop, blog].flatMap((each) => each ?? []));
    const { rows, others } = await index.usage({ by: ["model", "project"], limit: 2 });
    expect(rows.map(({ key, costUsd }) => [key.model, key.project, costUsd])).toEqual([
      ["anthropic/opus", "/home/ada/shop", 5],
      ["anthropic/haiku", "/home/ada/blog", 3],
    ]);
    expect(others?.costUsd).toBe(3);
  });

  test("groups without a kept row are summed up together", async () => {
    const { groups, otherGroups, others } = await usage({ by: ["month", "model"], limit: 3 });
    expect(groups?.map(({ key, costUsd, others }) => [key.month, costUsd, others?.costUsd])).toEqual([
      ["2026-02", 10, 1],
    ]);
    expect(otherGroups).toMatchObject({ groupCount: 1, rowCount: 4, costUsd: 100 });
    expect(others?.costUsd).toBe(101);
  });

  test("a running total includes the omitted rows", async () => {
    const { rows } = await usage({ by: ["month"], limit: 1 });
    expect(rows[0]?.runningCostUsd).toBe(110);
  });

  test("one dimension has no groups", async () => {
    expect(await usage({ by: ["model"], limit: 1 })).not.toHaveProperty("groups");
  });
});
