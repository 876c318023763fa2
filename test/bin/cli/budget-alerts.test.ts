import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { showNotification } from "../../../bin/actions/notify.ts";
import { BudgetAlerts } from "../../../bin/cli/budget-alerts.ts";
import type { BudgetStatus } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

/** An index whose spending is set by the test. */
function createIndex() {
  const state = { share: 0, from: "2026-04-01T00:00:00.000Z" };
  const spending = async () => {
    const { share, from } = state;
    const budget = {
      amountUsd: 100,
      per: "month",
      from,
      until: from,
      spentUsd: 100 * share,
      share,
      projectedUsd: 0,
    };
    const nothing = { costUsd: 0 };
    const budgets = [budget as BudgetStatus];
    return {
      time: from,
      timeZone: "UTC",
      today: nothing,
      week: nothing,
      month: nothing,
      budgets,
      unreadFiles: 0,
    };
  };
  return { state, index: { spending } };
}

const env = () => ({ PIDEX_BUDGETS: "100/month", XDG_DATA_HOME: temporaryFolder(), HOME: "/home/ada" });

test("each share is notified of once per period, also after a restart", async () => {
  const { state, index } = createIndex();
  const shown: string[] = [];
  const options = {
    env: env(),
    onProblem: expect.fail,
    show: async ({ text }: { text: string }) => void shown.push(text),
  };
  const compareAt = async (share: number, alerts = new BudgetAlerts(index, options)) => {
    state.share = share;
    alerts.request();
    await alerts.close();
    return shown.splice(0);
  };
  const alerts = new BudgetAlerts(index, options);
  expect(await compareAt(0.79, alerts)).toEqual([]);
  expect(await compareAt(0.8, alerts)).toEqual(["$80.00 of $100.00 spent this month (80%)"]);
  expect(await compareAt(0.9, alerts)).toEqual([]);
  expect(await compareAt(0.95)).toEqual([]);
  expect(await compareAt(1)).toEqual(["$100.00 of $100.00 spent this month (100%)"]);
  expect(await compareAt(0.9)).toEqual([]);
  expect(await compareAt(2)).toEqual([]);
  state.from = "2026-05-01T00:00:00.000Z";
  expect(await compareAt(1.5)).toEqual(["$150.00 of $100.00 spent this month (150%)"]);
  expect(await compareAt(0.85)).toEqual([]);
});

test("a notification that fails is one line, and is tried again by the next process", async () => {
  const { state, index } = createIndex();
  state.share = 1;
  const problems: string[] = [];
  const options = {
    env: env(),
    onProblem: (text: string) => void problems.push(text),
    show: async () => {
      throw new Error("no desktop");
    },
  };
  const alerts = new BudgetAlerts(index, options);
  for (let n = 0; n < 3; n++) {
    alerts.request();
    await alerts.close();
  }
  expect(problems).toEqual([
    "could not notify you that $100.00 of $100.00 spent this month (100%): no desktop",
  ]);
  const next = new BudgetAlerts(index, options);
  next.request();
  await next.close();
  expect(problems.length).toBe(2);
});

test("an index that cannot be read is one line, too", async () => {
  const problems: string[] = [];
  const spending = async () => {
    throw new Error("locked");
  };
  const alerts = new BudgetAlerts({ spending }, { env: env(), onProblem: (text) => problems.push(text) });
  alerts.request();
  await alerts.close();
  expect(problems).toEqual(["budgets could not be compared: locked"]);
});

test.skipIf(process.platform === "win32")(
  "a command of the user gets title and text as they are",
  async () => {
    const folder = temporaryFolder();
    const [program, output] = [join(folder, "show"), join(folder, "shown")];
    writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" > ${output}\n`);
    chmodSync(program, 0o755);
    const text = "$(rm -rf /) `x` \"quoted\" 'too'; $HOME";
    await showNotification({ title: "-t", text }, { command: `${program} --urgent` });
    expect(readFileSync(output, "utf8")).toBe(`--urgent|-t|${text}|`);
    const failing = showNotification({ title: "t", text }, { command: "echo broken >&2; exit 3; :" });
    await expect(failing).rejects.toThrow(/broken/);
    await expect(
      showNotification({ title: "t", text }, { command: "/nonexistent/program" }),
    ).rejects.toThrow();
  },
);
