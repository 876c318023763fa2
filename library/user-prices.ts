import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PriceRule } from "../query/prices/price-rule.ts";
import { getConfigFolder } from "../src/environment.ts";
import { PidexError, toMessage } from "../src/errors.ts";

/** The file with a user's prices, beside `config.toml`. */
export function getPricesPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(getConfigFolder(env, process.platform), "prices.toml");
}

/**
 * The user's own prices, for the option `prices` of `usage`, `spend` and `spending`: those of `prices.toml` beside `config.toml`. Empty
 * without the file.
 *
 * @throws PidexError `FILE_UNREADABLE` that says what is wrong in the file
 */
export async function readUserPrices(env: NodeJS.ProcessEnv = process.env): Promise<PriceRule[]> {
  const path = getPricesPath(env);
  if (!existsSync(path)) return [];
  const refuse = (what: string, cause?: unknown): never => {
    const hint = `Correct the file: ${path}. Its form is in docs/usage.md, and pidex prices lists what applies.`;
    throw new PidexError("FILE_UNREADABLE", `${path}: ${what}`, hint, { cause });
  };
  const { parse } = await import("smol-toml");
  let file: Record<string, unknown> = {};
  try {
    file = parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  } catch (error) {
    refuse(toMessage(error).split("\n")[0] ?? "invalid TOML", error);
  }
  const { price = [], ...others } = file;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) refuse(`unknown ${unknown}; each price is a table [[price]]`);
  const { PriceRules } = await import("../query/prices/price-rule.ts");
  const result = PriceRules.safeParse(toCamelCase(price));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [n, ...names] = issue?.path ?? [];
  const where = typeof n === "number" ? `price ${n + 1}` : "price";
  const name = names
    .map((part) => (typeof part === "string" ? toSnakeCase(part) : Number(part) + 1))
    .join(" ");
  return refuse(`${where}${name && `, ${name}`}: ${issue?.message ?? "invalid"}`);
}

/** Names in the file are as in `config.toml`: `cache_read`. Dates need no quotes. */
function toCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCase);
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value !== "object" || value === null) return value;
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), toCamelCase(each)]));
}

const toSnakeCase = (name: string): string =>
  name.replace(/([A-Z]|1(?=h))/g, (letter) => `_${letter.toLowerCase()}`);
