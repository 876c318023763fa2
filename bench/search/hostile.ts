/**
 * Runs thousands of hostile queries on a generated root: `npm run bench:hostile`. Each must return results or fail with BAD_QUERY
 * within a second; otherwise it exits with 1.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { type Index, openIndex, PidexError, type SearchOptions } from "../../library/index.ts";
import { prepareRoot } from "../bench-root.ts";

const MAX_MS = 1_000;

/** FTS5's query language, SQL, and unusual characters. */
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
/** The most frequent words of the generated root, and some in other scripts. */
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
  { weight: 2, arbitrary: text.map((word) => `${word}*`) },
  { weight: 1, arbitrary: fc.array(text, { maxLength: 6 }).map((words) => `"${words.join(" ")}"`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...FIELDS), fc.array(value, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(
        ([field, values, quoted]) =>
          `${field}:${values.map((value) => (quoted ? `"${value}"` : value)).join(",")}`,
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
      .map((parts) => parts.map((part) => part.join("")).join(" ")),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  // Long repetitions.
  {
    weight: 1,
    arbitrary: fc
      .tuple(term, fc.integer({ min: 2, max: 520 }), fc.constantFrom(" ", " OR ", " -", " (", ","))
      .map(([term, count, separator]) => Array.from({ length: count }, () => term).join(separator)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.shuffledSubarray(WORDS, { minLength: 8 }), fc.constantFrom(" ", " OR ", "* ", "* OR "))
      .map(([words, separator]) => words.join(separator)),
  },
);
/** A misspelled word, or another form of it. */
const misspelledWord = fc
  .tuple(
    fc.constantFrom(...WORDS, "kubernetes", "connection", "parseSessionEntries"),
    fc.nat(20),
    fc.string({ maxLength: 2 }),
  )
  .map(
    ([word, at, inserted]) => word.slice(0, at % word.length) + inserted + word.slice((at % word.length) + 1),
  );
/** A line of pasted text. */
const line = fc
  .array(
    fc.oneof(
      misspelledWord,
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
const relaxedQuery = fc.oneof(
  fc.array(misspelledWord, { minLength: 1, maxLength: 9 }).map((words) => words.join(" ")),
  fc.array(line, { minLength: 2, maxLength: 60 }).map((lines) => lines.join("\n")),
  fc.tuple(line, query).map(([pasted, typed]) => `${pasted}\n${typed}`),
  fc.string({ unit: fc.constantFrom(..."数据库检索日本語テストのではです한국"), maxLength: 400 }),
);
const anyQuery = fc.oneof({ weight: 3, arbitrary: query }, { weight: 2, arbitrary: relaxedQuery });
const hostileOptions = fc.record<SearchOptions>(
  {
    sort: fc.constantFrom("relevance", "newest", "oldest"),
    facets: fc.boolean(),
    strict: fc.boolean(),
    limit: fc.constantFrom(1, 20, 100),
    subagents: fc.constantFrom("no", "yes"),
  },
  { requiredKeys: [] },
);

interface HostileReport {
  answered: number;
  rejected: number;
  slowest: { ms: number; query: string };
  tooSlow: { ms: number; query: string }[];
}

async function runQuery(
  index: Index,
  query: string,
  options: SearchOptions,
  byEntry: boolean,
  report: HostileReport,
): Promise<void> {
  // SQLite's statements are freed between iterations of the event loop, and queries alone never end one.
  await setImmediate();
  const startedAt = performance.now();
  try {
    await (byEntry ? index.searchEntries(query, options) : index.search(query, options));
    report.answered++;
  } catch (error) {
    if (!(error instanceof PidexError && ["BAD_QUERY", "BAD_OPTION", "NOT_FOUND"].includes(error.code)))
      throw error;
    report.rejected++;
  }
  const ms = performance.now() - startedAt;
  if (ms > report.slowest.ms) report.slowest = { ms, query };
  if (ms > MAX_MS) report.tooSlow.push({ ms, query });
}

/** Runs random queries, the same for the same seed. @throws any error other than a rejection */
async function runHostileQueries(index: Index, count: number, seed: number): Promise<HostileReport> {
  const report: HostileReport = { answered: 0, rejected: 0, slowest: { ms: 0, query: "" }, tooSlow: [] };
  await fc.assert(
    fc.asyncProperty(anyQuery, hostileOptions, fc.boolean(), (query, options, byEntry) =>
      runQuery(index, query, options, byEntry, report),
    ),
    { numRuns: count, seed, endOnFailure: true },
  );
  return report;
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
  const root = prepareRoot(values.roots, "mixed", values.size);
  const scratch = mkdtempSync(join(tmpdir(), "pidex-hostile-"));
  try {
    await using index = await openIndex({ db: join(scratch, "index.db"), roots: [root.path] });
    await index.sync();
    const { answered, rejected, slowest, tooSlow } = await runHostileQueries(
      index,
      Number(values.count),
      Number(values.seed),
    );
    const format = ({ ms, query }: HostileReport["slowest"]) =>
      `${ms.toFixed(0)} ms: ${JSON.stringify(query).slice(0, 200)}`;
    console.log(`${values.size}: ${answered} answered, ${rejected} rejected, no other error`);
    console.log(`slowest ${format(slowest)}`);
    console.log(`over ${MAX_MS} ms: ${tooSlow.length}`);
    for (const each of tooSlow.slice(0, 20)) console.log(`  ${format(each)}`);
    process.exitCode = tooSlow.length > 0 ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (import.meta.main) await main();
