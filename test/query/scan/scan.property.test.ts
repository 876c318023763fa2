import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thinking, toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { ScanPattern } from "../../../query/options.ts";
import { MAX_COUNTED_MATCHES } from "../../../query/scan/pattern.ts";
import { sql } from "../../../src/store/sql.ts";
import { databaseIn, openThrowaway, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";
import { plainSession } from "../brute-force.ts";
import { FIXTURES, sessionFiles } from "../opened-queries.ts";
import {
  compareLocations,
  entriesThat,
  expectedHits,
  type FoundRow,
  type Scanned,
  scanAll,
  toLocation,
} from "./scanned.ts";

/** The number of matches in a text according to JavaScript. */
function plainCount(pattern: ScanPattern): (text: string) => number {
  const { caseSensitive = false } = pattern;
  const source =
    pattern.regex !== undefined ? pattern.regex : pattern.substring.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  if (pattern.substring !== undefined && caseSensitive) {
    return (text) => Math.min(MAX_COUNTED_MATCHES, text.split(pattern.substring).length - 1);
  }
  const regex = new RegExp(source, caseSensitive ? "gmu" : "gimu");
  return (text) => Math.min(MAX_COUNTED_MATCHES, text.match(regex)?.length ?? 0);
}

const flat = (text: string): string => text.replace(/\s+/g, " ");

/** Checks a hit against its line, and that it shows the match. */
function checkHit(hit: FoundRow, pattern: ScanPattern): void {
  const bytes = readFileSync(hit.row.path);
  const line = bytes.subarray(hit.row.byte_offset, hit.row.byte_offset + hit.row.byte_length);
  expect(bytes.subarray(0, hit.row.byte_offset).toString("latin1").split("\n").length).toBe(hit.row.line);
  expect(typeof JSON.parse(line.toString("utf8").replace(/^\ufeff/, ""))).toBe("object");
  expect(hit.snippet.ranges.length).toBeGreaterThan(0);
  expect(hit.snippet.text).not.toMatch(/[\n\r\t]/);
  let last = 0;
  for (const [start, end] of hit.snippet.ranges) {
    expect(start).toBeGreaterThanOrEqual(last);
    // A space shared by two matches belongs to the first.
    const shared = start === last && hit.snippet.text[start - 1] === " " ? " " : "";
    const shown = hit.snippet.text.slice(start, end);
    last = end;
    expect(shown).not.toBe("");
    if (pattern.substring === undefined) continue;
    const wanted = flat(pattern.substring);
    const got = wanted.startsWith(" ") && !shown.startsWith(" ") ? shared + shown : shown;
    if (pattern.caseSensitive) expect(got).toBe(wanted);
    else expect(got).toMatch(new RegExp(`^${wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`, "iu"));
  }
}

async function finds(
  scanned: Pick<Scanned, "db" | "root">,
  paths: string[],
  pattern: ScanPattern,
): Promise<number> {
  const { hits, changedFiles } = await scanAll(scanned, pattern);
  expect(changedFiles).toEqual([]);
  expect(hits.map(toLocation).sort(compareLocations)).toEqual(
    expectedHits(paths, plainCount(pattern)).sort(compareLocations),
  );
  for (const hit of hits) checkHit(hit, pattern);
  return hits.length;
}

async function fixtures() {
  const db = await databaseIn(temporaryFolder());
  const root = FIXTURES;
  await syncFolders(
    db,
    ["pi", "atomic", "flat", "scripts", "broken"].map((name) => join(FIXTURES, name)),
  );
  const { rows } = await sql<{ path: string }>`
    SELECT path FROM file JOIN session ON session.file_id = file.id`.execute(db.reader);
  return { db, root, paths: rows.map(({ path }) => path) };
}

describe("all fixtures", () => {
  test("contain text to find", async () => {
    const { paths } = await fixtures();
    const sessions = sessionFiles(FIXTURES).filter((path) => plainSession(path));
    expect(new Set(sessions).isSubsetOf(new Set(paths))).toBe(true);
    expect(paths.length).toBeGreaterThan(30);
  });

  test.each([
    "tax",
    "ax",
    " ",
    "the",
    ".ts",
    "src/",
    "/",
    "()",
    "=>",
    '"',
    "\\",
    "\n",
    "\n\n",
    "0",
    "1",
    "é",
    "…",
    "数",
    "{",
    "e",
    "\ufffd",
    "type",
    "kes",
    "\ud83d",
    "TypeError:",
  ])("yield every %j", async (substring) => {
    const scanned = await fixtures();
    for (const caseSensitive of [true, false]) {
      if (substring === "\ud83d" && !caseSensitive) continue; // JavaScript folds only whole characters
      await finds(scanned, scanned.paths, { substring, caseSensitive });
    }
  });

  test.each([
    "tax",
    "[a-z]+Error",
    "\\btax\\b",
    "src/[a-z]+\\.ts",
    "(?:tax|total|round)(?:ing)?",
    "^[A-Z][a-z]+ ",
    "[^\\n]{20}\\.$",
    "\\d{3,}",
    "a|the",
    "(t)(a)x?",
    "tota+l",
    "ta?x",
    "tax{1,2}",
    "数",
    "[\\x{4e00}-\\x{9fff}]+",
  ])("yield every match of %j", async (regex) => {
    const scanned = await fixtures();
    for (const caseSensitive of [true, false]) {
      const plain = { regex: regex.replace(/\\x\{(\w+)\}/g, "\\u{$1}"), caseSensitive };
      const { hits } = await scanAll(scanned, { regex, caseSensitive });
      const expected = expectedHits(scanned.paths, plainCount(plain)).sort(compareLocations);
      expect(hits.map(toLocation).sort(compareLocations)).toEqual(expected);
      for (const hit of hits) checkHit(hit, { regex });
    }
  });
});

const CHARACTERS = [
  ..."aAbksKSI iı0129.-+e/\\\"'<&>{}[]()$*?^|\n\r\t\0\x1b\x7f",
  ..."éÉeßſ\u212aåÅ\u212bσςΣ数据が・",
  "\u0301",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\ufffd",
  "😀",
  "👩‍👩‍👧",
  "\ud83d",
  "\ude00",
];
const texts = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 30 });
const numbers = fc.constantFrom(
  "1e3",
  "1000",
  "1.0",
  "-0",
  "0.00000012",
  "12345678901234567890",
  "1E400",
  "2.50",
  "-7",
  "0.1",
);

/** Ways to write characters of JSON text that need no escape. */
const escapings = fc.constantFrom<(json: string) => string>(
  (json) => json,
  (json) => json.replace(/[^\0-\x7f]/g, unicodeEscape),
  (json) => json.replace(/[^\0-\x7f]/g, (unit) => unicodeEscape(unit).toUpperCase().replace("U", "u")),
  (json) => json.replace(/[<>&'/ \x7f]/g, unicodeEscape),
  (json) => json.replaceAll("/", "\\/"),
  (json) => json.replaceAll("\\n", "\\u000a").replaceAll("\\t", "\\u0009").replaceAll('\\"', "\\u0022"),
  (json) => json.replace(/[aks1.é据\ud83d]/g, unicodeEscape),
);

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

interface Written {
  kind: number;
  words: string[];
  number: string;
  write: (json: string) => string;
}

const entries = fc.record<Written>({
  kind: fc.nat(8),
  words: fc.array(texts, { minLength: 1, maxLength: 3 }),
  number: numbers,
  write: escapings,
});

/** An entry with strings and numbers in a given spelling. */
function addEntry(into: Session, { kind, words, number, write }: Written, version: 1 | 2 | 3): void {
  const draft = session({ version });
  const [first = "", ...others] = words;
  const blocks = words.map((text) => ({ type: "text", text }));
  if (kind === 0) draft.user(first);
  else if (kind === 1) draft.user(blocks);
  else if (kind === 2) draft.assistant([thinking(first), ...blocks]);
  else if (kind === 3)
    draft.assistant([toolCall("call", "edit", { path: first, deep: { others, n: "NUMBER" } })]);
  else if (kind === 4) draft.toolResult("call", "edit", blocks);
  else if (kind === 5) draft.bash(first, others.join("\n"));
  else if (kind === 6) draft.compaction(first, null);
  else if (kind === 7) draft.message({ role: "hookMessage", content: blocks });
  else draft.name(first);
  const entry = draft.entries[0] as object;
  const place = version === 1 ? {} : { id: `id${into.lines.length}` };
  const json = JSON.stringify({ ...entry, ...place });
  // Strings only: the rest of the line is syntax.
  const written = json.replace(/"((?:[^"\\]|\\.)*)"(?!:)/g, (_, inner: string) => `"${write(inner)}"`);
  into.raw(written.replace('"NUMBER"', number));
}

const files = fc.record({
  version: fc.constantFrom<1 | 2 | 3>(1, 2, 3),
  newline: fc.constantFrom<"\n" | "\r\n">("\n", "\r\n"),
  bom: fc.boolean(),
  cut: fc.constantFrom(0, 1),
  /** Length of a line without matches: chunks end in it, and the searched entries are small next to it. */
  filler: fc.constantFrom(0, 0, 40_000, 65_000, 140_000),
  entries: fc.array(entries, { minLength: 1, maxLength: 6 }),
});

const patterns = fc.record({
  of: fc.nat(),
  from: fc.nat(),
  length: fc.integer({ min: 1, max: 8 }),
  caseSensitive: fc.boolean(),
  other: texts.filter((text) => text !== ""),
  isOther: fc.boolean(),
  isRegex: fc.boolean(),
});

describe("a scan", () => {
  test("finds any text, in any JSON spelling, and nothing else", { timeout: 240_000 }, async () => {
    const folder = temporaryFolder();
    let run = 0;
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(files, { minLength: 1, maxLength: 2 }),
        fc.array(patterns, { minLength: 8, maxLength: 8 }),
        async (files, patterns) => {
          const root = join(folder, `root-${++run}`);
          const all: string[] = [];
          const paths = files.map(({ version, newline, bom, cut, filler, entries }, n) => {
            const written = session({ version, newline, bom });
            for (const [n, entry] of entries.entries()) {
              if (filler > 0 && n < 2) written.custom("state", "x".repeat(filler));
              addEntry(written, entry, version);
            }
            all.push(
              ...entries.flatMap(({ words, number }) => [
                ...words,
                String(JSON.parse(number)),
                words.join(" "),
              ]),
            );
            if (newline === "\n") written.cut(cut);
            return written.write(join(root, `${n}.jsonl`));
          });
          const db = await openThrowaway(join(folder, `${run}.db`));
          try {
            await syncFolders(db, root);
            for (const { of, from, length, caseSensitive, other, isOther, isRegex } of patterns) {
              const text = all[of % all.length] as string;
              const piece = text.slice(from % Math.max(1, text.length)).slice(0, length);
              const substring = isOther || piece === "" ? other.slice(0, 3) : piece;
              // JavaScript folds only whole characters, and finds halves of them only without folding.
              if (!substring.isWellFormed() && (isRegex || !caseSensitive)) continue;
              const pattern: ScanPattern = isRegex
                ? {
                    regex: substring
                      .replace(/[^A-Za-z0-9 \n\r\t\0]/gu, "\\$&")
                      .replace(/\\([^\0-\x7f])/gu, "$1"),
                    caseSensitive,
                  }
                : { substring, caseSensitive };
              const counted = plainCount({ substring, caseSensitive });
              const expected = expectedHits(paths, counted).sort(compareLocations);
              const positions = db.writer
                .prepare<[], number>("SELECT id FROM entry WHERE line % 2 = 0")
                .pluck()
                .all();
              const even = expected.filter(({ line }) => line % 2 === 0);
              for (const [conditions, narrowed] of [
                [{}, expected],
                [entriesThat(), expected],
                [entriesThat({ kind: "position", positions }), even],
              ] as const) {
                const { hits, changedFiles } = await scanAll({ db, root }, pattern, conditions);
                expect(changedFiles).toEqual([]);
                const places = hits.map(toLocation).sort(compareLocations);
                expect({ pattern, places }).toEqual({ pattern, places: narrowed });
                for (const hit of hits) checkHit(hit, { substring, caseSensitive });
                found += hits.length;
              }
            }
          } finally {
            await db.close();
          }
        },
      ),
      { numRuns: 35 },
    );
    expect(found).toBeGreaterThan(100);
  });
});
