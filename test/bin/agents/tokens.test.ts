import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countTextTokens } from "../../../bench/agents/counting-client.ts";
import { AgentIndex } from "../../../bin/agents/agent-index.ts";
import { countFittingCharacters, estimateTokens } from "../../../bin/agents/tokens.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

const HOME = join(import.meta.dirname, "../../..");
const hashes = Array.from({ length: 120 }, (_, n) => createHash("sha256").update(String(n)).digest());
const repeated = (text: string) => text.repeat(Math.ceil(6000 / text.length));

/** Typical content of sessions, some thousand characters each. */
const TEXTS: Record<string, string> = {
  English: readFileSync(join(HOME, "docs/reliability.md"), "utf8"),
  code: readFileSync(join(HOME, "bin/agents/read.ts"), "utf8"),
  JSON: readFileSync(join(HOME, "package.json"), "utf8"),
  Chinese: repeated(
    "原因是按 UTC 取日期，已改为北京时间；受影响的订单有 20 张，更正脚本在 scripts 里，请确认后再执行。",
  ),
  Japanese: repeated("検索ページで文字化けすると報告がありました。原因を調べてください。"),
  Russian: repeated("Клиенты говорят, что письма приходят дважды. Найдите причину, пожалуйста. "),
  German: repeated(
    "Zeichen, die es dort nicht gibt, werden im Buchungstext umschrieben, kaufmännisch gerundet. ",
  ),
  paths: hashes.map((_, n) => `/home/ada/code/shop-${n}/src/routes/account-${n}.ts:${n * 7}:12`).join("\n"),
  "hex ids": hashes.map((hash) => `${hash.toString("hex", 0, 4)} ${hash.toString("hex")}`).join("\n"),
  "keys in base64": hashes.map((hash) => `sha256-${hash.toString("base64")}`).join("\n"),
  log: hashes
    .map((_, n) => `2026-03-29T01:59:${10 + (n % 50)}.${n}Z shop[812]: POST /orders 500 in ${n} ms`)
    .join("\n"),
  numbers: hashes.map((_, n) => [n, n * 37, n * 7919, n * 104_729].join(" ")).join("\n"),
  emoji: repeated("🎉🧺✅ 🚀👩‍💻 🪬🫎"),
};

test.each(Object.entries(TEXTS))("%s: the estimate is close to the count of a tokenizer", (_, text) => {
  const ratio = estimateTokens(text) / countTextTokens(text);
  expect(ratio).toBeGreaterThan(0.85);
  expect(ratio).toBeLessThan(2);
});

test("the fitting text has the estimated tokens, and never ends in half of a surrogate pair", () => {
  for (const text of Object.values(TEXTS)) {
    for (const [from, tokens] of [
      [0, 1],
      [3, 50],
      [100, 333.3],
    ] as const) {
      const length = countFittingCharacters(text, from, tokens);
      expect(estimateTokens(text.slice(from, from + length))).toBeLessThanOrEqual(Math.ceil(tokens));
      expect(text.slice(0, from + length).isWellFormed() || !text.slice(0, from).isWellFormed()).toBe(true);
    }
  }
  expect(countFittingCharacters("short", 0, 100)).toBe(5);
});

test("no response exceeds its budget by more than a tenth, in either form", async () => {
  const sessions = Object.entries(TEXTS).map(([kind, text]) => {
    const draft = session({ id: `about-${kind.replaceAll(" ", "-")}` }).user(
      `needle of ${kind}\n${text.slice(0, 900)}`,
    );
    for (let n = 0; n < 6; n++) {
      draft.tool(
        "edit",
        { path: `src/${kind}-${n}.ts`, oldText: "a", newText: text.slice(n * 200, n * 200 + 700) },
        text,
      );
      draft.assistant(`needle ${n}\n${text.slice(n * 300)}`);
    }
    return draft.name(text.slice(0, 200));
  });
  const { index, paths } = await indexed(...sessions);
  const agents = new AgentIndex(index, {});
  const tooLong: string[] = [];
  const expectWithinBudget = (what: string, max: number, { text, data }: { text: string; data: unknown }) => {
    const longest = Math.max(countTextTokens(text), countTextTokens(JSON.stringify(data)));
    if (longest > max * 1.1) tooLong.push(`${what}: ${longest} of ${max}`);
  };
  for (const max_tokens of [400, 2000]) {
    expectWithinBudget(
      "search",
      max_tokens,
      await agents.request("search", { query: "needle", limit: 50, max_tokens }),
    );
    expectWithinBudget("list", max_tokens, await agents.request("list", { max_tokens }));
    expectWithinBudget(
      "touching",
      max_tokens,
      await agents.request("touching", { file: "src/", limit: 50, max_tokens }),
    );
    expectWithinBudget("usage", max_tokens, await agents.request("usage", { by: ["session"], max_tokens }));
    for (const [n, path] of paths.entries()) {
      const kind = Object.keys(TEXTS)[n];
      expectWithinBudget(
        `${kind}, read`,
        max_tokens,
        await agents.request("read", { session: path, max_tokens }),
      );
      expectWithinBudget(
        `${kind}, its end`,
        max_tokens,
        await agents.request("read", { session: path, from: "end", max_tokens }),
      );
      expectWithinBudget(
        `${kind}, around`,
        max_tokens,
        await agents.request("read", { session: `${path}:6`, max_tokens }),
      );
      expectWithinBudget(
        `${kind}, outline`,
        max_tokens,
        await agents.request("read", { session: path, view: "outline", max_tokens }),
      );
      expectWithinBudget(
        `${kind}, tree`,
        max_tokens,
        await agents.request("tree", { session: path, max_tokens }),
      );
    }
  }
  expect(tooLong).toEqual([]);
});
