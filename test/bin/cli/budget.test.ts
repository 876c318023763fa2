/** `pidex budget`, `status`, `prices` and `--estimates`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { linesOf, pidex as pidexAlone, pidexAt } from "../cli.ts";

/** An index with $4 recorded today, and a million tokens of a model without a cost. */
function createWorkspace(prices = "") {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const timestamp = new Date().toISOString();
  const usage = (usd?: number) => ({
    input: 1_000_000,
    output: 0,
    ...(usd !== undefined && { cost: { total: usd } }),
  });
  session({ id: "shop", cwd: "/home/ada/shop", timestamp })
    .user("Hello.", { timestamp })
    .assistant("Done.", { usage: usage(4), model: "claude-opus-5", provider: "anthropic", timestamp })
    .assistant("Done.", { usage: usage(), model: "claude-opus-5", provider: "anthropic", timestamp })
    .assistant("Done.", { usage: usage(0), model: "unheard-of", provider: "work", timestamp })
    .writeUnder(root);
  const config = join(folder, "config");
  mkdirSync(config);
  if (prices !== "") writeFileSync(join(config, "prices.toml"), prices);
  vi.stubEnv("PIDEX_CONFIG", config);
  return { root, pidex: pidexAt(root, folder) };
}

beforeEach(() => {
  for (const name of ["PIDEX_BUDGET", "PIDEX_BUDGETS", "PIDEX_COUNT_ESTIMATES", "PIDEX_STATUS_FORMAT"])
    vi.stubEnv(name, "");
  return () => vi.unstubAllEnvs();
});

describe("pidex budget", () => {
  test("shows the budgets of the settings, or those of the command line", async () => {
    const { pidex } = createWorkspace();
    vi.stubEnv("PIDEX_BUDGET", "10/day");
    vi.stubEnv("PIDEX_BUDGETS", "10/day;200/year;8/day project:shop");
    const { out, exit } = await pidex(["budget"]);
    expect(linesOf(out).map((line) => line.split("\t").slice(0, 4))).toEqual([
      ["10/day", "4.0000", "0.4000", "6.0000"],
      ["200/year", "4.0000", "0.0200", "196.0000"],
      ["8/day project:shop", "4.0000", "0.5000", "4.0000"],
    ]);
    expect(exit).toBe(0);
    const other = await pidex(["budget", "16/week", "--json"]);
    const { spending } = JSON.parse(other.out);
    expect(spending.budgets).toMatchObject([{ amountUsd: 16, per: "week", spentUsd: 4, share: 0.25 }]);
  });

  test("exits with 4 if one is used up, and with 5 if --warn-at is reached", async () => {
    const { pidex } = createWorkspace();
    const exitOf = async (...words: string[]) => (await pidex(["budget", ...words])).exit;
    expect(await exitOf("5/day")).toBe(0);
    expect(await exitOf("5/day", "--warn-at", "80%")).toBe(5);
    expect(await exitOf("5/day", "--warn-at", "81")).toBe(0);
    expect(await exitOf("5/day", "4/day", "--warn-at", "80%")).toBe(4);
    expect(await exitOf("5/day", "--warn-at", "0%")).toBe(2);
    expect(await exitOf("5/hour")).toBe(2);
  });

  test("counts estimates only if asked to", async () => {
    const { pidex } = createWorkspace();
    const spent = async (...flags: string[]) =>
      (await pidex(["budget", "20/day", ...flags])).out.split("\t")[1];
    expect(await spent()).toBe("4.0000");
    expect(await spent("--estimates")).toBe("9.0000");
    vi.stubEnv("PIDEX_COUNT_ESTIMATES", "1");
    expect(await spent()).toBe("9.0000");
    expect(await spent("--no-estimates")).toBe("4.0000");
    const table = await pidex(["budget", "20/day"], { columns: 100 });
    expect(table.out).toContain("estimated: 20/day about $5.00");
  });

  test("an invalid budget in the file is an error that shows it", async () => {
    const { pidex } = createWorkspace();
    writeFileSync(join(process.env.PIDEX_CONFIG as string, "config.toml"), 'budgets = ["x/day"]');
    const { err, exit } = await pidex(["budget"]);
    expect([exit, err]).toEqual([2, expect.stringContaining('not ["x/day"]')]);
  });

  test("without budgets says how to set some", async () => {
    const { pidex } = createWorkspace();
    const { out, err, exit } = await pidex(["budget"]);
    expect([out, exit]).toEqual(["", 0]);
    expect(err).toContain("pidex config set budgets");
  });
});

describe("pidex status", () => {
  test("prints one plain line, with a mark if the index is not up to date", async () => {
    const { pidex, root } = createWorkspace();
    expect(await pidex(["status"])).toMatchObject({ out: "$0.00 today · $0.00 month *\n", exit: 0 });
    await pidex(["index"]);
    expect((await pidex(["status"])).out).toBe("$4.00 today · $4.00 month\n");
    vi.stubEnv("PIDEX_BUDGETS", "5/day;200/month");
    expect((await pidex(["status"])).out).toBe("$4.00 today · $4.00/5 day\n");
    session({ id: "new" }).user("Hello.").writeUnder(root);
    expect((await pidex(["status"])).out).toBe("$4.00 today · $4.00/5 day *\n");
    expect((await pidex(["status", "--sync"])).out).toBe("$4.00 today · $4.00/5 day\n");
  });

  test("fills in placeholders, and refuses unknown ones", async () => {
    const { pidex } = createWorkspace();
    await pidex(["index"]);
    vi.stubEnv("PIDEX_BUDGETS", "200/month;8/day project:shop");
    const format = "{today}|{week}|{month}|{session}|{budget}|{percent}|{left}|{stale}|{}x";
    const unknown = await pidex(["status", "--format", format]);
    expect(unknown.exit).toBe(2);
    expect(unknown.err).toContain("unknown placeholder {}");
    const { out } = await pidex(["status", "--format", format.replace("|{}x", ""), "--session", "shop"]);
    expect(out).toBe("$4.00|$4.00|$4.00|$4.00|$4.00/8 shop|50%|$4.00|\n");
    vi.stubEnv("PIDEX_STATUS_FORMAT", "{session}\u001b[31m");
    expect((await pidex(["status"])).out).not.toContain("\u001b");
    const estimated = await pidex(["status", "--format", "{today} {budget}", "--estimates"]);
    expect(estimated.out).toBe("$4.00+~$5.00 ~$9.00/8 shop\n");
  });
});

describe("estimates", () => {
  test("are apart from costs in tables, pipes, CSV and JSON", async () => {
    const { pidex } = createWorkspace();
    const table = await pidex(["usage", "model", "--estimates"], { columns: 140 });
    expect(table.out).toContain("ESTIMATED");
    expect(table.out).toContain("$4.00 recorded, about $5.00 estimated");
    expect(table.out).toMatch(/no price known for 1.00M tokens: work\/unheard-of 1.00M/);
    const csv = await pidex(["usage", "model", "--estimates", "--csv"]);
    expect(csv.out.split("\r\n")[0]).toMatch(/^model,costUsd,.*,estimatedUsd$/);
    expect(csv.out).toMatch(/^anthropic\/claude-opus-5,4,.*,5\r$/m);
    const { usage } = JSON.parse((await pidex(["usage", "model", "--estimates", "--json"])).out);
    expect(usage.total).toMatchObject({ costUsd: 4, estimatedUsd: 5, unpricedTokens: 1_000_000 });
    const spend = await pidex(["spend", "shop", "--estimates"], { columns: 140 });
    expect(spend.out).toContain("$4.00 recorded, about $5.00 estimated");
    const plain = await pidex(["usage", "model"], { columns: 140 });
    expect(plain.out).not.toMatch(/estimated/i);
  });

  test("use the prices of the user's file, whose errors say where they are", async () => {
    const price = '[[price]]\nmodel = "work/*"\nfrom = 2020-01-01\ninput = 2\noutput = 3\ncache_read = 0.1\n';
    const { pidex } = createWorkspace(price);
    const { out } = await pidex(["usage", "model", "--estimates", "--json"]);
    expect(JSON.parse(out).usage.total).toMatchObject({ estimatedUsd: 7, unpricedTokens: 0 });
    expect((await pidexAlone(["prices", "work/unheard-of"])).out).toBe(
      "work/*\t2020-01-01\t2\t3\t0.1\t\t\t\tuser\n",
    );
    expect(linesOf((await pidexAlone(["prices"])).out)[0]).toMatch(/^work\/\*/);
    for (const [text, message] of [
      ["[[price]]\nmodel = 'a'\ninput = 1\n", "price 1, output"],
      ["[[price]]\nmodel = 'a'\ninput = -1\noutput = 1\n", "price 1, input"],
      ["[[price]]\nmodel = 'a'\ninput = 1\noutput = 1\ncache_write_1h = 'x'\n", "price 1, cache_write_1h"],
      ["[prices]\n", "unknown prices"],
      ["[[price\n", "Invalid TOML"],
    ] as const) {
      createWorkspace(text);
      const { err, exit } = await pidexAlone(["prices"]);
      expect(err, text).toContain(message);
      expect(exit).toBe(1);
    }
  });

  test("have prices that pidex prices finds by a part of a name", async () => {
    const { out, err, exit } = await pidexAlone(["prices", "Opus-4-5"]);
    expect(out).toMatch(/^claude-opus-4-5\t/);
    expect([err, exit]).toEqual(["no price for Opus-4-5; these models have it in their names:\n", 0]);
    expect((await pidexAlone(["prices", "nothing-like-it"])).exit).toBe(3);
  });

  test("have prices that pidex prices lists and finds", async () => {
    createWorkspace();
    expect((await pidexAlone(["prices", "openrouter/anthropic/claude-opus-5"])).out).toBe(
      "claude-opus-5\t\t5\t25\t0.5\t6.25\t10\t\tcatalog 2026-11-20\n",
    );
    expect((await pidexAlone(["prices", "deepseek-chat", "--at", "2025-09-10"])).out).toContain(
      "\t0.56\t1.68\t",
    );
    expect(await pidexAlone(["prices", "unheard-of"])).toMatchObject({ out: "", exit: 3 });
    const { prices } = JSON.parse((await pidexAlone(["prices", "--json"])).out);
    expect(prices.length).toBeGreaterThan(200);
  });
});
