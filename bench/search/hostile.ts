/**
 * Hostile queries by the thousand against a generated root: `npm run bench:hostile`. Each must be answered, or refused
 * with BAD_QUERY, within a second. Exits with 1 when one is not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { type Index, openIndex, PidexError, type SearchOptions } from "../../library/index.ts";
import { benchRoot } from "../bench-root.ts";

/** What no query may take longer than, in milliseconds. */
const MOST_MS = 1_000;

/** FTS5's own language, SQL, and what people paste. */
const SYNTAX = [
  ...'NEAR( NEAR(a,b) ,5) AND OR NOT ( ) {said} said: {said,output}: - + ^ * " "" \' ; -- /* */ \\ % _ \0'.split(
    " ",
  ),
  ..."rank rowid entry_text bm25(entry_text) MATCH optimize rebuild integrity-check SELECT DROP".split(" "),
  ..."\ue000 \ue001 \u{f0000} \ufffd \uffff \u2028 \u0300 \u200d \ufe0f 👩‍💻 🇺🇦 ﬁ İ ß é e\u0301 が か\u3099 ｶﾞ".split(
    " ",
  ),
  "\ud800",
  "\udc00",
];
const FIELDS =
  "role type tool is since until file label name project cwd model provider session said rank".split(" ");
/** The most frequent words of the generated root, and some of other scripts. */
const WORDS =
  "the a of to in is and for error function const return import test src ts id 我们 的 数 データ の и в na café C++".split(
    " ",
  );

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.constantFrom(...SYNTAX) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const value = fc.oneof(
  text,
  fc.constantFrom("user", "bash", "error", "current", "7d", "2026-01", "*.ts", "src/**", "@last"),
);
const term = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 2, arbitrary: text.map((it) => `${it}*`) },
  { weight: 1, arbitrary: fc.array(text, { maxLength: 6 }).map((words) => `"${words.join(" ")}"`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...FIELDS), fc.array(value, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(
        ([field, values, quoted]) => `${field}:${values.map((it) => (quoted ? `"${it}"` : it)).join(",")}`,
      ),
  },
);
const query = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom("", "", "", "", "", "", "", "", "-", "(", "x OR "),
          term,
          fc.constantFrom("", "", "", "", "", "", "", "", ")", " OR y"),
        ),
        {
          maxLength: 12,
        },
      )
      .map((pieces) => pieces.map((piece) => piece.join("")).join(" ")),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  // Much of one kind.
  {
    weight: 1,
    arbitrary: fc
      .tuple(term, fc.integer({ min: 2, max: 520 }), fc.constantFrom(" ", " OR ", " -", " (", ","))
      .map(([it, count, between]) => Array.from({ length: count }, () => it).join(between)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.shuffledSubarray(WORDS, { minLength: 8 }), fc.constantFrom(" ", " OR ", "* ", "* OR "))
      .map(([words, between]) => words.join(between)),
  },
);
/** Words as they are mistyped, run together, or in another form; what is pasted, on many lines. */
const slip = fc
  .tuple(
    fc.constantFrom(...WORDS, "kubernetes", "connection", "parseSessionEntries"),
    fc.nat(20),
    fc.string({ maxLength: 2 }),
  )
  .map(([word, at, more]) => word.slice(0, at % word.length) + more + word.slice((at % word.length) + 1));
const line = fc
  .array(
    fc.oneof(
      slip,
      text,
      fc.nat().map(String),
      fc.uuid(),
      fc.constantFrom("at", "/home/ada/x.ts:1:2", "0x7f3a"),
    ),
    {
      maxLength: 14,
    },
  )
  .map((words) => words.join(" "));
const relaxed = fc.oneof(
  fc.array(slip, { minLength: 1, maxLength: 9 }).map((words) => words.join(" ")),
  fc.array(line, { minLength: 2, maxLength: 60 }).map((lines) => lines.join("\n")),
  fc.tuple(line, query).map(([pasted, asked]) => `${pasted}\n${asked}`),
  fc.string({ unit: fc.constantFrom(..."数据库检索日本語テストのではです한국"), maxLength: 400 }),
);
export const anyQuery = fc.oneof({ weight: 3, arbitrary: query }, { weight: 2, arbitrary: relaxed });
export const hostileOptions = fc.record<SearchOptions>(
  {
    sort: fc.constantFrom("relevance", "newest", "oldest"),
    facets: fc.boolean(),
    strict: fc.boolean(),
    limit: fc.constantFrom(1, 20, 100),
    subagents: fc.constantFrom("no", "yes"),
  },
  { requiredKeys: [] },
);

interface Tally {
  answered: number;
  refused: number;
  slowest: { ms: number; query: string };
  overMost: { ms: number; query: string }[];
}

async function ask(
  index: Index,
  asked: string,
  how: SearchOptions,
  flat: boolean,
  tally: Tally,
): Promise<void> {
  // SQLite's statements are freed between turns of the event loop, and queries alone never end one.
  await setImmediate();
  const began = performance.now();
  try {
    await (flat ? index.searchEntries(asked, how) : index.search(asked, how));
    tally.answered++;
  } catch (error) {
    if (!(error instanceof PidexError && ["BAD_QUERY", "BAD_OPTION", "NOT_FOUND"].includes(error.code)))
      throw error;
    tally.refused++;
  }
  const ms = performance.now() - began;
  if (ms > tally.slowest.ms) tally.slowest = { ms, query: asked };
  if (ms > MOST_MS) tally.overMost.push({ ms, query: asked });
}

/** Asks so many random queries, the same for the same seed; throws what is no answer and no refusal. */
export async function askHostile(index: Index, count: number, seed: number): Promise<Tally> {
  const tally: Tally = { answered: 0, refused: 0, slowest: { ms: 0, query: "" }, overMost: [] };
  await fc.assert(
    fc.asyncProperty(anyQuery, hostileOptions, fc.boolean(), (asked, how, flat) =>
      ask(index, asked, how, flat, tally),
    ),
    { numRuns: count, seed, endOnFailure: true },
  );
  return tally;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
      size: { type: "string", default: "100MB" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
    },
  });
  const root = benchRoot(values.roots, "mixed", values.size);
  const scratch = mkdtempSync(join(tmpdir(), "pidex-hostile-"));
  try {
    await using index = await openIndex({ db: join(scratch, "index.db"), roots: [root.path] });
    await index.sync();
    const { answered, refused, slowest, overMost } = await askHostile(
      index,
      Number(values.count),
      Number(values.seed),
    );
    const shown = ({ ms, query: it }: Tally["slowest"]) =>
      `${ms.toFixed(0)} ms: ${JSON.stringify(it).slice(0, 200)}`;
    console.log(`${values.size}: ${answered} answered, ${refused} refused, no other error`);
    console.log(`slowest ${shown(slowest)}`);
    console.log(`over ${MOST_MS} ms: ${overMost.length}`);
    for (const each of overMost.slice(0, 20)) console.log(`  ${shown(each)}`);
    process.exitCode = overMost.length > 0 ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (import.meta.main) await main();
