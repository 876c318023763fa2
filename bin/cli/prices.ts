import { type ListedPrice, PidexError, readUserPrices } from "../../library/index.ts";
import { createPriceBook, getPricesPath, parseMoment } from "../../library/internal.ts";
import { toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { EXIT } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "MODEL", shrinksFirst: true },
  { heading: "FROM" },
  { heading: "INPUT", align: "right" },
  { heading: "OUTPUT", align: "right" },
  { heading: "CACHE READ", align: "right", omitOrder: 2 },
  { heading: "CACHE WRITE", align: "right", omitOrder: 3 },
  { heading: "1 H", align: "right", omitOrder: 4 },
  { heading: "LONG PROMPTS", omitOrder: 5 },
  { heading: "ORIGIN", omitOrder: 1 },
];

/** `pidex prices`: lists the prices of estimates, or shows which one applies to a model. */
export async function run(io: Io, [model]: string[], flags: Flags<"prices">): Promise<number> {
  const book = createPriceBook(await readUserPrices());
  const prices = model === undefined ? book.prices : findPrices(io, book, model, flags.at);
  if (flags.json) await writeJson(io, { prices });
  else if (flags.ndjson) await writeJsonLines(io, prices);
  else if (prices.length === 0) {
    io.err(
      `no price for ${toOneLine(model ?? "")}: its usage has no estimate; add one to ${toOneLine(getPricesPath())}\n`,
    );
  } else if (io.isTerminal) {
    const rows = prices.map((price) => toCells(price, formatTiers(price)));
    await withPager(io, flags, async (paged) => paged.out(formatTable(paged, COLUMNS, rows)));
  } else await io.out(prices.map((price) => formatRow(toCells(price, formatTiers(price)))).join(""));
  return prices.length === 0 ? EXIT.notFound : EXIT.done;
}

/** The price that applies to a model, or else all whose names contain the text. */
function findPrices(
  io: Io,
  book: ReturnType<typeof createPriceBook>,
  name: string,
  at: string | undefined,
): readonly ListedPrice[] {
  const price = findPrice(book, name, at);
  if (price) return [price];
  const similar = book.prices.filter(({ model }) => model.toLowerCase().includes(name.toLowerCase()));
  if (similar.length > 0) io.err(`no price for ${toOneLine(name)}; these models have it in their names:\n`);
  return similar;
}

/** @param name a model, or `provider/model`, which may also be a model of OpenRouter */
function findPrice(
  book: ReturnType<typeof createPriceBook>,
  name: string,
  at: string | undefined,
): ListedPrice | undefined {
  const time = at === undefined ? Date.now() : parseMoment(at);
  if (time === undefined) {
    throw new PidexError("BAD_OPTION", `"${at}" is not a date`, "Write --at 2026-01-31.");
  }
  const slash = name.indexOf("/");
  return book.find(slash === -1 ? "" : name.slice(0, slash), name.slice(slash + 1), time);
}

/** US dollars per million tokens; empty cells cost what input costs. */
function toCells(
  { model, from = "", input, output, cacheRead, cacheWrite, cacheWrite1h, source, recorded }: ListedPrice,
  tiers: string,
): string[] {
  const numbers = [input, output, cacheRead, cacheWrite, cacheWrite1h].map((price) => String(price ?? ""));
  return [
    toOneLine(model),
    from,
    ...numbers,
    tiers,
    recorded === undefined ? source : `${source} ${recorded}`,
  ];
}

/** Input and output for long prompts: `>200000: 6/22.5`. */
function formatTiers({ above = [] }: ListedPrice): string {
  return above.map(({ tokens, input, output }) => `>${tokens}: ${input}/${output}`).join(", ");
}
