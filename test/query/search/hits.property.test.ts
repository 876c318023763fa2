/**
 * Compares every hit with the bytes of its file. `PIDEX_HITS_ROOT=folder` uses the sessions in that folder instead of the
 * fixtures.
 */
import { readFileSync } from "node:fs";
import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Hit, Index } from "../../../library/index.ts";
import { compileQuery } from "../../../query/compile-query.ts";
import { toFtsExpression } from "../../../src/store/sqlite/fts-expression.ts";
import { prepareText } from "../../../src/store/words/prepare-text.ts";
import { type Fields, isFields, plainSearchable, plainSession, plainWords } from "../brute-force.ts";
import { FIXTURES, indexedFixtures, openOver, sessionFiles } from "../opened-queries.ts";

const ROOT = process.env.PIDEX_HITS_ROOT;

async function opened(): Promise<{ index: Index; files: string[] }> {
  if (!ROOT) return { index: await indexedFixtures(), files: sessionFiles(FIXTURES) };
  const index = await openOver([ROOT]);
  await index.sync();
  return { index, files: sessionFiles(ROOT) };
}

/** The line at a byte offset and its number, computed from the bytes. */
function lineAt(path: string, offset: number): { text: string; line: number } {
  const bytes = readFileSync(path);
  expect(offset === 0 || bytes[offset - 1] === 10).toBe(true);
  let line = 1;
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) line++;
  const end = bytes.indexOf(10, offset);
  return { text: bytes.toString("utf8", offset, end === -1 ? bytes.length : end), line };
}

/** Whether the index matches a text against a query, decided by SQLite. */
function holder() {
  const db = new SQLite(":memory:");
  onTestFinished(() => void db.close());
  db.exec("CREATE VIRTUAL TABLE piece USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')");
  const put = db.prepare("INSERT OR REPLACE INTO piece (rowid, text) VALUES (1, ?)");
  const matches = db.prepare("SELECT 1 FROM piece WHERE piece MATCH ?").pluck();
  return (piece: string, query: string): boolean => {
    put.run(prepareText(piece));
    return matches.get(query) === 1;
  };
}

function checkHit(hit: Hit, expressions: readonly string[], holds: ReturnType<typeof holder>): void {
  const { text, line } = lineAt(hit.path, hit.byteOffset);
  expect(line).toBe(hit.line);
  const entry = JSON.parse(text.replace(/^\ufeff/, "")) as Fields;
  expect(entry.type).toBe(hit.type);
  if (entry.id !== undefined && typeof entry.id !== "object") expect(hit.entryId).toBe(entry.id);
  if (isFields(entry.message))
    expect(hit.role).toBe(entry.message.role === "hookMessage" ? "custom" : entry.message.role);
  const { ranges, text: shown } = hit.snippet;
  // The snippet is in the entry, except for white space.
  const bare = (it: string) => it.toWellFormed().replaceAll(/\s+/g, "");
  const core = bare(shown).replace(/^…/, "").replace(/…$/, "");
  expect(bare(plainSearchable(entry))).toContain(core);
  expect(ranges.length).toBeGreaterThan(0);
  let last = 0;
  for (const [start, end] of ranges) {
    expect(start).toBeGreaterThanOrEqual(last);
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(shown.length);
    last = end;
    const piece = shown.slice(start, end);
    expect([piece, expressions.some((each) => holds(piece, each))]).toEqual([piece, true]);
  }
  for (const place of hit.alsoIn) {
    const copy = lineAt(place.path, place.byteOffset);
    expect(copy.line).toBe(place.line);
    expect((JSON.parse(copy.text) as Fields).id).toBe(entry.id);
  }
}

/** Queries from the files' contents: words, prefixes, phrases, and text in other scripts. */
function questions(files: readonly string[]): string[] {
  const queries = new Set<string>();
  for (const path of files) {
    for (const { entry } of plainSession(path)?.entries ?? []) {
      const text = plainSearchable(entry);
      const words = [...plainWords(text)];
      for (const [n, word] of words.entries()) if (n % (ROOT ? 40 : 9) === 0) queries.add(word);
      const [long] = words.filter((word) => word.length > 4);
      if (long) queries.add(`${long.slice(0, 4)}*`);
      const [phrase] = /(?<![\p{L}\p{N}])[a-z]+ [a-z]+ [a-z]+(?![\p{L}\p{N}])/u.exec(text) ?? [];
      if (phrase) queries.add(`"${phrase}"`);
      const [script] =
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{1,3}/u.exec(text) ?? [];
      if (script) queries.add(script);
      const [other] = /[\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Greek}]{2,}/u.exec(text) ?? [];
      if (other) queries.add(other);
      const [emoji] = /\p{Emoji_Presentation}/u.exec(text) ?? [];
      if (emoji) queries.add(emoji);
    }
  }
  return [...queries];
}

test("every hit is at its location, and its ranges highlight the query", { timeout: 600_000 }, async () => {
  const { index, files } = await opened();
  const holds = holder();
  let checked = 0;
  let found = 0;
  for (const query of questions(files)) {
    const compiled = compileQuery(query);
    const expressions = compiled.clauses.flatMap((part) =>
      "expression" in part ? [toFtsExpression(part.expression)] : [],
    );
    const { hits, hitCount } = await index.searchEntries(query, {
      limit: 200,
      subagents: "yes",
      strict: true,
    });
    // In real sessions some words are not indexed: those in the middle of long outputs.
    if (!ROOT) expect([query, hitCount > 0]).toEqual([query, true]);
    if (hitCount > 0) found++;
    for (const hit of hits) {
      checkHit(hit, expressions, holds);
      checked++;
    }
  }
  if (ROOT)
    console.log(`${found} of ${questions(files).length} queries found something, ${checked} hits are right`);
  expect(checked).toBeGreaterThan(1_000);
});
