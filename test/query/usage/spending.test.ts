import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { parseBudget } from "../../../query/usage/parse-budget.ts";
import { failure, indexed } from "../opened-queries.ts";

/** A session with a response of each cost at each time. */
function talk(id: string, cwd: string, costs: Record<string, number>) {
  const talk = session({ id, cwd, timestamp: Object.keys(costs)[0] as string }).user("Hello.");
  for (const [timestamp, usd] of Object.entries(costs)) {
    talk.assistant("Done.", {
      usage: { input: 1_000_000, output: 0, cost: { total: usd } },
      timestamp,
      model: "m",
    });
  }
  return talk;
}

// A Thursday.
const now = "2026-04-16T12:00:00Z";
const at = { now, timeZone: "UTC" };

const createWorkspace = () =>
  indexed(
    talk("shop", "/home/ada/shop", {
      "2026-04-01T10:00:00.000Z": 1,
      "2026-04-13T10:00:00.000Z": 2,
      "2026-04-16T10:00:00.000Z": 4,
      "2026-04-16T13:00:00.000Z": 8, // after now
    }),
    talk("blog", "/home/ada/blog", { "2026-01-01T10:00:00.000Z": 16, "2026-04-16T11:00:00.000Z": 0 }),
  );

test("today, this week and this month are summed up until now", async () => {
  const { index } = await createWorkspace();
  const spending = await index.spending(at);
  expect(spending).toMatchObject({ today: { costUsd: 4 }, week: { costUsd: 6 }, month: { costUsd: 7 } });
  expect(spending.session).toBeUndefined();
  expect(spending.today.estimatedUsd).toBeUndefined();
  const sunday = await index.spending({ ...at, weekStart: "tuesday" });
  expect(sunday.week.costUsd).toBe(4);
});

test("budgets have their period and their project", async () => {
  const { index } = await createWorkspace();
  const texts = ["8/day", "10/week", "$14/month", "46/year", "2/month project:blog", "7/month project:shop"];
  const { budgets } = await index.spending({ ...at, budgets: texts });
  expect(budgets.map(({ spentUsd, per, project }) => [spentUsd, per, project])).toEqual([
    [4, "day", undefined],
    [6, "week", undefined],
    [7, "month", undefined],
    [23, "year", undefined],
    [0, "month", "blog"],
    [7, "month", "shop"],
  ]);
  expect(budgets.map(({ share }) => share)).toEqual([0.5, 0.6, 0.5, 0.5, 0, 1]);
  // Half of the day has passed.
  expect(budgets[0]?.projectedUsd).toBe(8);
  expect(budgets[5]?.exhausted).toBe("2026-04-16T12:00:00.000Z");
});

test("estimates count in budgets only if they are asked for", async () => {
  const { index } = await createWorkspace();
  const prices = [{ model: "m", input: 3, output: 0 }];
  const { today, budgets } = await index.spending({ ...at, budgets: ["8/day"], estimates: true, prices });
  expect(today).toEqual({ costUsd: 4, estimatedUsd: 3 });
  expect(budgets[0]).toMatchObject({ spentUsd: 7, estimatedUsd: 3, share: 7 / 8 });
});

test("a session is one by its reference, or the newest of a folder", async () => {
  const { index, paths } = await createWorkspace();
  expect((await index.spending({ session: "shop" })).session).toEqual({ path: paths[0], costUsd: 15 });
  expect((await index.spending({ cwd: "/home/ada/blog" })).session).toEqual({ path: paths[1], costUsd: 16 });
  expect((await index.spending({ cwd: "/home/ada/else" })).session).toBeUndefined();
  expect(await failure(index.spending({ session: "nope" }))).toMatchObject({ code: "NOT_FOUND" });
});

test("invalid options are refused", async () => {
  const { index } = await createWorkspace();
  const refused = (options: object) => failure(index.spending(options));
  expect(await refused({ budgets: ["much"] })).toMatchObject({ code: "BAD_OPTION" });
  expect(await refused({ budgets: "10/day" })).toMatchObject({ code: "BAD_OPTION" });
  expect(await refused({ session: "" })).toMatchObject({ code: "BAD_OPTION" });
  expect(await refused({ unheard: 1 })).toMatchObject({ code: "BAD_OPTION" });
});

test("a budget is dollars per period, and may name a project", () => {
  expect(parseBudget("200/month")).toEqual({ amountUsd: 200, per: "month" });
  expect(parseBudget(' $1.5/day project:"my shop" ')).toEqual({
    amountUsd: 1.5,
    per: "day",
    project: "my shop",
  });
  for (const text of ["0/day", "10", "10/hour", "10/day shop", "-1/day", "10/day project:", "1e9/day"]) {
    expect(parseBudget(text), text).toBeUndefined();
  }
});

test("the index says whether it is up to date, and reads nothing for it", async () => {
  const { index, path, root } = await createWorkspace();
  expect(await index.isUpToDate()).toBe(true);
  session({ id: "new" }).user("Hello.").writeUnder(root);
  expect(await index.isUpToDate()).toBe(false);
  await index.sync();
  expect(await index.isUpToDate()).toBe(true);
  talk("shop", "/home/ada/shop", { "2026-04-01T10:00:00.000Z": 1 }).write(path);
  expect(await index.isUpToDate()).toBe(false);
});
