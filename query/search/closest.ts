import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Scope } from "../../src/store/sqlite/scope.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SearchTerm } from "../compile-query.ts";
import { comparePreference } from "../copies.ts";
import { readLocationsWithCopies } from "../entry-locations.ts";
import { allOf } from "../sql-conditions.ts";
import { detectLanguages, type Languages } from "../words/languages.ts";
import { type RelaxedGroup, type RelaxedTerm, toRelaxedGroups } from "../words/relaxed-terms.ts";
import { findVariants } from "../words/variants.ts";
import { MAX_COUNTED_ENTRIES, Vocabulary } from "../words/vocabulary.ts";
import { type EntryRange, getFileEntryRange } from "./hits.ts";
import type { Search } from "./prepare-search.ts";
import type { ClosestMatchDetails, RankedHit, RankedSession } from "./rank.ts";
import { type Candidate, RelaxedFinder } from "./relaxed-finder.ts";
import type { SearchPlan } from "./search-plan.ts";

/** A session that matches part of a query. */
export interface ClosestSession extends RankedSession {
  details: ClosestMatchDetails;
}

export interface ClosestMatches {
  /** Best first. */
  sessions: ClosestSession[];
  /** The words that matched, in their matching forms; snippets highlight them. */
  terms: readonly SearchTerm[];
}

/** Maximum number of sessions; further ones have little in common with the query. */
const MAX_SESSIONS = 10;
/** Minimum score of a session, as a fraction of the best one's. */
const MIN_SCORE = 0.35;
/** Maximum number of terms to search for; of pasted text, the rarest. */
const MAX_TERMS = 18;
/** Maximum number of terms counted to find the rarest. */
const MAX_COUNTED = 160;
/** Maximum number of common terms in a filtered search: each reads all of its entries. */
const MAX_COMMON_NARROWED = 3;
/** Number of hits per session that are compared with those of its forks. */
const COMPARED_HITS = 6;

const NO_MATCHES: ClosestMatches = { sessions: [], terms: [] };

/**
 * Finds the sessions closest to a query: those that contain some of its words, possibly in another form or spelling. Rare
 * words count more. Quoted phrases, exclusions and fields are not relaxed.
 */
export async function findClosestMatches(
  { db, scope, compiled: { relaxable, required, isPaste }, plan, page: { lastEntry } }: Search,
  known: ReadonlySet<number>,
): Promise<ClosestMatches> {
  const groups = toRelaxedGroups(relaxable, isPaste);
  if (groups.length === 0) return NO_MATCHES;
  const within = await searchableRange(db, plan, lastEntry);
  if (!within) return NO_MATCHES;
  const vocabulary = new Vocabulary(db, lastEntry);
  const languages = await detectLanguages(groups.flatMap(({ terms }) => terms.map(({ word }) => word)));
  const chosen = await chosenTerms(groups, vocabulary, languages, isPaste, plan.isNarrowed);

  const finder = new RelaxedFinder(db, plan, within);
  for (const part of required) if (!(await finder.require(part))) return NO_MATCHES;
  for (const { term, neighbor } of chosen) {
    await finder.add(term, await findVariants(term, neighbor, vocabulary, languages, isPaste));
  }
  const candidates = finder.candidates().filter(({ fileId }) => !known.has(fileId));
  const complete = await finder.filterByRequired(candidates);
  const distinct = await withoutCopies(db, scope, complete, known, COMPARED_HITS);
  const close = distinct.filter(({ score }) => score >= MIN_SCORE * (distinct[0]?.score ?? 0));
  const best = await withoutCopies(db, scope, close.slice(0, MAX_SESSIONS), known);
  await finder.addCommonTerms(best);
  return {
    sessions: best.map(({ fileId, hits, found }) => {
      const details = finder.getDetails(groups, found);
      return { fileId, details, hits: hits.map((hit): RankedHit => ({ ...hit, closestMatch: details })) };
    }),
    terms: finder.terms,
  };
}

/** Maximum number of files by which a range of entries is narrowed; many sessions span the whole index. */
const MAX_FILES = 300;

/** The range of entries that closest matches may be in; undefined if filters exclude all entries. */
async function searchableRange(
  db: Reader,
  { isNarrowed, sessionCondition, forExpression }: SearchPlan,
  lastEntry: number,
): Promise<EntryRange | undefined> {
  const all = { first: 0, last: lastEntry };
  if (!isNarrowed) return all;
  const { rows: files } = await sql<{ id: number }>`
    SELECT file.id FROM file JOIN session ON session.file_id = file.id
      JOIN entry ON entry.id = (SELECT min(first.id) FROM entry AS first WHERE first.file_id = file.id)
    WHERE ${sessionCondition} LIMIT ${sql.lit(MAX_FILES + 1)}`.execute(db);
  if (files.length === 0) return undefined;
  const range =
    files.length > MAX_FILES
      ? all
      : await getFileEntryRange(
          db,
          files.map(({ id }) => id),
          lastEntry,
        );
  const { conditions } = forExpression("");
  const { rows: some } = await sql`
    SELECT 1 FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE ${allOf(conditions)} AND entry.id BETWEEN ${range.first} AND ${range.last} LIMIT 1`.execute(db);
  return some.length > 0 ? range : undefined;
}

interface ChosenTerm {
  term: RelaxedTerm;
  /** The following word: the index may contain both as one word. */
  neighbor: RelaxedTerm | undefined;
}

/** Selects the terms to search for: without stop words unless there are no others, and of many the rarest. */
async function chosenTerms(
  groups: readonly RelaxedGroup[],
  vocabulary: Vocabulary,
  { isStopWord }: Languages,
  isPaste: boolean,
  isNarrowed: boolean,
): Promise<ChosenTerm[]> {
  const all = groups.flatMap(({ terms }) => terms);
  const written = all.map((term, n): ChosenTerm => {
    const next = all[n + 1];
    return { term, neighbor: !isPaste && next?.hasForms && term.hasForms ? next : undefined };
  });
  const seen = new Set<string>();
  const distinct = written.filter(({ term }) => !seen.has(term.word) && seen.add(term.word));
  // A single character is the prefix of thousands of words: looking them all up is slow and of little use.
  const isBare = ({ prefix, word }: RelaxedTerm) => prefix && word.length <= 2;
  const meaning = distinct.filter(({ term }) => !isStopWord(term.word) && !isBare(term));
  const terms = meaning.length > 0 ? meaning : distinct;
  if (terms.length <= MAX_TERMS && !isNarrowed) return terms;
  // The longest words tend to be the rarest; counting finds the rarest of those.
  const longest = terms
    .toSorted((a, b) => b.term.weight * b.term.word.length - a.term.weight * a.term.word.length)
    .slice(0, MAX_COUNTED);
  const counted = await vocabulary.countEntries(longest.map(({ term }) => term.word));
  const docs = new Map(counted.map((each) => [each.word, each.docs]));
  const found = longest.filter(({ term }) => docs.has(term.word));
  const rarity = ({ term }: ChosenTerm) => term.weight / Math.log(2 + (docs.get(term.word) ?? 1));
  const enough = terms.length <= MAX_TERMS || found.length < MAX_TERMS / 3;
  const rarest = (enough ? longest : found).toSorted((a, b) => rarity(b) - rarity(a)).slice(0, MAX_TERMS);
  if (!isNarrowed) return rarest;
  const isCommon = ({ term }: ChosenTerm) => (docs.get(term.word) ?? 0) >= MAX_COUNTED_ENTRIES || term.prefix;
  const common = new Set(rarest.filter(isCommon).slice(MAX_COMMON_NARROWED));
  return rarest.filter((each) => !common.has(each));
}

/**
 * Removes hits that are copies of entries in a fully matching session, or in the oldest of these sessions; then sessions without
 * remaining hits.
 */
async function withoutCopies(
  db: Reader,
  scope: Scope,
  sessions: readonly Candidate[],
  known: ReadonlySet<number>,
  limit?: number,
): Promise<Candidate[]> {
  const kept = sessions.map((session) => ({ ...session, hits: session.hits.slice(0, limit) }));
  const ids = kept.flatMap(({ hits }) => hits.map(({ row }) => row.id));
  const places = await readLocationsWithCopies(new SqliteStore(db, scope), ids);
  const files = new Set(sessions.map(({ fileId }) => fileId));
  const left = kept.flatMap(({ fileId, hits, score, ...rest }): Candidate[] => {
    const own = hits.filter(({ row }) => {
      const copies = places.get(row.id) ?? [];
      if (copies.some(({ file_id }) => known.has(file_id))) return false;
      const [home] = copies.filter(({ file_id }) => files.has(file_id)).sort(comparePreference);
      return home === undefined || home.file_id === fileId;
    });
    const [first] = own;
    if (!first) return [];
    // Shared entries count for the oldest session only.
    const share = first.score / (hits[0] as RankedHit).score;
    const all = sessions.find((each) => each.fileId === fileId)?.hits ?? [];
    const ownHits = new Set(own);
    const others = limit === undefined ? [] : all.slice(limit);
    return [
      { ...rest, fileId, hits: [...hits.filter((hit) => ownHits.has(hit)), ...others], score: score * share },
    ];
  });
  return left.sort((a, b) => b.score - a.score);
}
