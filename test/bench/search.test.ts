import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Baseline } from "../../bench/search/baseline.ts";
import { HELD_OUT_QUESTIONS, HELD_OUT_REAL_QUESTIONS } from "../../bench/search/held-out-questions.ts";
import { computeScores, findRank, MAX_RANK } from "../../bench/search/metrics.ts";
import { parseTerms, parseWords } from "../../bench/search/query-terms.ts";
import { KINDS, QUESTIONS, type Question } from "../../bench/search/questions.ts";
import { REAL_QUESTIONS, REAL_SESSIONS } from "../../bench/search/real-questions.ts";
import {
  formatOutcomes,
  formatScores,
  meetsMinimum,
  toHeldOutRows,
  toRows,
} from "../../bench/search/report.ts";
import { evaluateSearch, type SearchReport } from "../../bench/search/run.ts";
import { createStories, plantStories } from "../../bench/search/stories.ts";
import { session } from "../../fixtures/builder.ts";
import { temporaryFolder } from "../temporary.ts";

/** Every string in a line of a session, in lower case. */
function stringsIn(line: string): string[] {
  const strings: string[] = [];
  JSON.parse(line, (_key, value: unknown) => {
    if (typeof value === "string") strings.push(value.toLowerCase());
    return value;
  });
  return strings;
}

/** The strings of each entry of a planted session. */
const planted = new Map(createStories(1).map(({ key, lines }) => [key, lines.slice(1).map(stringsIn)]));
const entriesOf = (key: string): string[][] => {
  const entries = planted.get(key);
  if (!entries) throw new Error(`No such story: ${key}`);
  return entries;
};
const holds = (strings: readonly string[], word: string): boolean =>
  strings.some((text) => text.includes(word.toLowerCase()));

/** The words of a query, without punctuation. */
const bareWords = (query: string): string[] =>
  parseWords(query).flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** Queries without a competing session: only the expected sessions contain half of the words in one entry. */
const lonely = (questions: readonly Question[]): Question[] =>
  questions.filter(({ query, expect: keys }) => {
    const words = parseWords(query).map(({ text }) => text);
    const isRival = (strings: string[]) =>
      words.filter((word) => holds(strings, word)).length * 2 >= words.length;
    return ![...planted].some(([key, entries]) => !keys.includes(key) && entries.some(isRival));
  });

describe("the benchmark queries", () => {
  test("are sixty, of every kind except the one for real sessions", () => {
    expect(QUESTIONS).toHaveLength(60);
    expect(new Set(QUESTIONS.map(({ query }) => query)).size).toBe(60);
    expect(KINDS.filter((kind) => !QUESTIONS.some((question) => question.kind === kind))).toEqual([
      "remembered words",
    ]);
  });

  test("the 36 held-out questions differ from the tuning set, in their words too", () => {
    expect(HELD_OUT_QUESTIONS).toHaveLength(36);
    expect(new Set([...QUESTIONS, ...HELD_OUT_QUESTIONS].map(({ query }) => query)).size).toBe(96);
    for (const { query, expect: keys } of HELD_OUT_QUESTIONS) {
      const same = QUESTIONS.filter((question) => question.expect.some((key) => keys.includes(key)));
      const words = new Set(same.flatMap((question) => bareWords(question.query)));
      expect(bareWords(query).filter((word) => words.has(word))).toEqual([]);
    }
  });

  test.each([...QUESTIONS, ...HELD_OUT_QUESTIONS])(
    "$kind: $query is in its answer",
    ({ query, expect: keys, kind }) => {
      const words = parseWords(query).map(({ text }) => text);
      expect(words).not.toEqual([]);
      for (const key of keys) {
        const entries = entriesOf(key);
        for (const word of words)
          expect(
            entries.some((strings) => holds(strings, word)),
            word,
          ).toBe(true);
        const isTogether = entries.some((strings) => words.every((word) => holds(strings, word)));
        expect(isTogether, "in one entry").toBe(kind !== "half-remembered");
      }
    },
  );

  test("have competing sessions: with half of the words in one entry, and without the answer", () => {
    for (const questions of [QUESTIONS, HELD_OUT_QUESTIONS])
      expect(lonely(questions).length).toBeLessThan(questions.length / 5);
  });

  test("on real sessions name lines of one of them", () => {
    expect(REAL_QUESTIONS.length).toBeGreaterThanOrEqual(15);
    expect(HELD_OUT_REAL_QUESTIONS).toHaveLength(8);
    for (const { session, lines } of [...REAL_QUESTIONS, ...HELD_OUT_REAL_QUESTIONS]) {
      expect(REAL_SESSIONS).toContain(session);
      expect(lines.every((line) => Number.isInteger(line) && line > 1)).toBe(true);
      expect(lines).not.toEqual([]);
    }
  });

  test("on real sessions that are held out have other lines as answers", () => {
    const places = (questions: typeof REAL_QUESTIONS) =>
      questions.flatMap(({ session, lines }) => lines.map((line) => `${session} ${line}`));
    const used = new Set(places(REAL_QUESTIONS));
    expect(places(HELD_OUT_REAL_QUESTIONS).filter((place) => used.has(place))).toEqual([]);
  });

  test("are split into words, phrases, prefixes and fields", () => {
    expect(parseTerms('tax* "no floats" role:user file:"a b.ts" Error: a::b C++')).toEqual([
      { text: "tax", isPrefix: true },
      { text: "no floats", isPrefix: false },
      { text: "user", isPrefix: false, field: "role" },
      { text: "a b.ts", isPrefix: false, field: "file" },
      { text: "Error:", isPrefix: false },
      { text: "a::b", isPrefix: false },
      { text: "C++", isPrefix: false },
    ]);
    expect(parseWords("role:user file:tax.ts refund").map(({ text }) => text)).toEqual(["tax.ts", "refund"]);
  });
});

describe("the planted sessions", () => {
  test("have the same bytes for the same seed, and other tasks for another seed", () => {
    const bytes = (seed: number) => createStories(seed).map((story) => story.text());
    expect(bytes(1)).toEqual(bytes(1));
    expect(bytes(2)).not.toEqual(bytes(1));
  });

  test("are one file each, spread over eighteen months", () => {
    const folder = temporaryFolder();
    const ids = plantStories(folder, 1);
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => name.endsWith(".jsonl"));
    expect(files.length).toBe(ids.size);
    expect(new Set(ids.values()).size).toBe(ids.size);
    const days = createStories(1)
      .map(({ timestamp }) => timestamp)
      .sort();
    expect(days[0]?.slice(0, 7)).toBe("2025-05");
    expect(days.at(-1)?.slice(0, 7)).toBe("2026-11");
  });

  test("contain forks that begin with the entries of their parent", () => {
    const byKey = new Map(createStories(1).map((story) => [story.key, story]));
    const [parent, fork] = [byKey.get("webhooks"), byKey.get("webhooks-fork")];
    expect(fork?.header.parentSession).toBe(parent?.path);
    expect(fork?.lines.slice(1, parent?.lines.length)).toEqual(parent?.lines.slice(1));
    expect(fork?.entries[parent?.entries.length ?? 0]?.parentId).toBe(parent?.lastId);
  });
});

describe("the metrics", () => {
  test("a rank starts at one, and has a maximum of twenty", () => {
    expect(findRank(["b", "a", "a"], (key) => key === "a")).toBe(2);
    expect(findRank([], () => true)).toBeUndefined();
    const long = Array.from({ length: 30 }, (_, n) => n);
    expect(findRank(long, (n) => n === MAX_RANK - 1)).toBe(20);
    expect(findRank(long, (n) => n === MAX_RANK)).toBeUndefined();
  });

  test("recall@5 and MRR of four ranks", () => {
    expect(computeScores([1, 4, 10, undefined])).toEqual({ recallAt5: 0.5, mrr: (1 + 0.25 + 0.1) / 4 });
    expect(computeScores([5]).recallAt5).toBe(1);
    expect(computeScores([6]).recallAt5).toBe(0);
    expect(computeScores([])).toEqual({ recallAt5: 0, mrr: 0 });
  });

  test("rows are by kind, by corpus and in total, without kinds that were not run", () => {
    const outcome = { kind: "signs", query: "C++", corpus: "planted", first: {} } as const;
    const rows = toRows([
      { ...outcome, ranks: { pidex: 1, FTS5: 2 } },
      { ...outcome, kind: "label", ranks: { pidex: 2 }, first: { pidex: "d-canary" } },
    ]);
    expect(rows.map(({ what, questions }) => [what, questions])).toEqual([
      ["label", 1],
      ["signs", 1],
      ["all of planted sessions", 2],
      ["all", 2],
    ]);
    expect(rows.at(-1)?.scores).toEqual({
      pidex: { recallAt5: 1, mrr: 0.75 },
      FTS5: { recallAt5: 0.5, mrr: 0.25 },
    });
    expect(rows.map(meetsMinimum)).toEqual([false, true, false, false]);
    expect(formatScores(rows).split("\n").at(-1)).toMatch(/^all +2 +1\.000 +0\.500 +0\.750 +0\.250$/);
  });

  test("rows of held-out questions are by corpus, without a total", () => {
    const outcome = { kind: "signs", query: "HEAD@{6}", first: {} } as const;
    const rows = toHeldOutRows([
      { ...outcome, corpus: "planted", ranks: { pidex: 1 } },
      { ...outcome, corpus: "real", ranks: { pidex: 2 } },
      { ...outcome, corpus: "real", ranks: {} },
    ]);
    expect(rows.map(({ what, questions, scores }) => [what, questions, scores.pidex.mrr])).toEqual([
      ["held out, of planted sessions", 1, 1],
      ["held out, of real sessions", 2, 0.25],
    ]);
  });
});

test("the baseline finds entries with all words, the best of a session first", async () => {
  const folder = temporaryFolder();
  const both = session({ timestamp: "2026-01-05T09:00:00.000Z" }).user("a red fox").user("red and blue");
  const one = session({ timestamp: "2026-01-06T09:00:00.000Z" }).user("red").user("blue");
  for (const each of [both, one]) each.writeUnder(folder);
  const baseline = new Baseline(join(folder, "fts5.db"), [folder]);
  try {
    expect(await baseline.entries("blue red", 20)).toEqual([{ session: both.id, line: 3 }]);
    expect(await baseline.sessions("role:user red", 20)).toEqual([one.id, both.id]);
    expect(await baseline.sessions('"red fox"', 20)).toEqual([both.id]);
    expect(await baseline.sessions("bl*", 20)).toHaveLength(2);
  } finally {
    baseline.close();
  }
});

describe("an evaluation among 1 MB of generated sessions", () => {
  let roots: string;
  let report: SearchReport;

  beforeAll(async () => {
    roots = mkdtempSync(join(tmpdir(), "pidex-search-test-"));
    report = await evaluateSearch(roots, "1MB");
  }, 120_000);
  afterAll(() => rmSync(roots, { recursive: true }));

  test("runs every query on both, and scores them in one table", () => {
    expect(report.outcomes.map(({ query }) => query)).toEqual(QUESTIONS.map(({ query }) => query));
    const total = report.rows.at(-1);
    expect(total).toMatchObject({ what: "all", questions: 60 });
    for (const { recallAt5, mrr } of Object.values(total?.scores ?? {})) {
      expect(recallAt5).toBeGreaterThan(0.5);
      expect(mrr).toBeGreaterThan(0.5);
      expect(mrr).toBeLessThanOrEqual(1);
    }
    expect(formatScores(report.rows).split("\n")[0]).toMatch(/^kind.*recall@5 pidex.*recall@5 FTS5.*MRR/);
  });

  test("reports only scores of held-out queries, in a separate row", () => {
    expect(report.heldOut.map(({ what, questions }) => [what, questions])).toEqual([
      ["held out, of planted sessions", 36],
    ]);
    const json = JSON.stringify(report);
    expect(HELD_OUT_QUESTIONS.filter(({ query }) => json.includes(JSON.stringify(query)))).toEqual([]);
  });

  test("reports the first result if it is not the answer", () => {
    for (const { ranks, first } of report.outcomes) {
      if (ranks.pidex !== undefined) expect(first.pidex).toBeDefined();
    }
    expect(formatOutcomes(report.outcomes).split("\n")).toHaveLength(61);
  });

  test("leaves only the generated root for the next run", () => {
    expect(readdirSync(roots).sort()).toEqual(["mixed-1mb", "mixed-1mb.manifest.json"]);
    const manifest = JSON.parse(readFileSync(join(roots, "mixed-1mb.manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ seed: 1 });
  });
});
