import type { Reader } from "../../src/database/reader.ts";
import type { Match, Term } from "../match.ts";
import { placesWithCopies } from "../places.ts";
import type { Scope } from "../scope.ts";
import { type Languages, languagesOf } from "../words/languages.ts";
import { type LooseGroup, type LooseTerm, looseGroups } from "../words/loose-terms.ts";
import { type Variant, variantsOf } from "../words/variants.ts";
import { Vocabulary } from "../words/vocabulary.ts";
import { findHits, type HitRow } from "./hits.ts";
import { type Lacks, type RankedHit, score } from "./rank.ts";
import type { WantedBy } from "./wanted.ts";
import { lengthWorth } from "./weigh.ts";

/** A session that matches a query in part. */
export interface ClosestSession {
  fileId: number;
  /** Its best entries, best first. */
  hits: RankedHit[];
  lacks: Lacks;
}

export interface Closest {
  /** The closest first. */
  sessions: ClosestSession[];
  /** The words that matched, in the forms in which they did: what snippets mark. */
  terms: Term[];
}

interface Options {
  /** Entries that come later are not looked at. */
  lastEntry: number;
  /** Files of sessions that match in full. */
  known: ReadonlySet<number>;
  /** Whether the query is pasted text and not words that somebody chose. */
  isPaste: boolean;
}

/** Sessions at most: further ones have little in common with the query. */
const MAX_SESSIONS = 10;
/** Entries of a session that are kept. */
const MAX_HITS = 20;
/** Terms that are looked for: of a paste the rarest. */
const MAX_TERMS = 18;
/** Terms of a paste that are looked up to see how rare they are. */
const MAX_COUNTED = 160;
/** Entries of a term that are looked at: the newest. */
const MAX_ROWS = 800;
/** Sessions with less than this part of the best one's score are left out. */
const MIN_SCORE = 0.35;
/** Sessions that are looked at more closely. */
const MAX_CANDIDATES = 40;

/**
 * Finds the sessions that come closest to a query: they have some of its words, those in another form or with another
 * spelling too. A word counts by how rare it is. What is quoted, excluded or asked by a field is not relaxed.
 */
export async function findClosest(
  db: Reader,
  scope: Scope,
  { relaxable, fixed }: Pick<Match, "relaxable" | "fixed">,
  wanted: WantedBy,
  { lastEntry, known, isPaste }: Options,
): Promise<Closest> {
  const none: Closest = { sessions: [], terms: [] };
  const groups = looseGroups(relaxable, isPaste);
  if (groups.length === 0) return none;
  const vocabulary = new Vocabulary(db);
  const languages = await languagesOf(groups.flatMap(({ terms }) => terms.map(({ word }) => word)));
  const chosen = await chosenTerms(groups, vocabulary, languages, isPaste);

  const finder = new LooseFinder(db, wanted, lastEntry);
  for (const part of fixed) {
    if (!(await finder.require(wanted.part(part)))) return none;
  }
  for (const { term, neighbour } of chosen) {
    await finder.add(term, await variantsOf(term, neighbour, vocabulary, languages, isPaste));
  }
  const candidates = finder.candidates(groups).filter(({ fileId }) => !known.has(fileId));
  const sessions = await withoutCopies(db, scope, candidates, known);
  const best = sessions[0]?.score ?? 0;
  return {
    sessions: sessions.filter((each) => each.score >= MIN_SCORE * best).slice(0, MAX_SESSIONS),
    terms: finder.terms,
  };
}

interface ChosenTerm {
  term: LooseTerm;
  /** The word written behind it: both may be one word of the index. */
  neighbour: LooseTerm | undefined;
}

/** The terms that are looked for: no stop words where others remain, and of many the rarest. */
async function chosenTerms(
  groups: readonly LooseGroup[],
  vocabulary: Vocabulary,
  { isStopWord }: Languages,
  isPaste: boolean,
): Promise<ChosenTerm[]> {
  const all = groups.flatMap(({ terms }) => terms);
  const written = all.map((term, n): ChosenTerm => {
    const next = all[n + 1];
    return { term, neighbour: !isPaste && next?.hasForms && term.hasForms ? next : undefined };
  });
  const seen = new Set<string>();
  const distinct = written.filter(({ term }) => !seen.has(term.word) && seen.add(term.word));
  const meaning = distinct.filter(({ term }) => !isStopWord(term.word));
  const terms = meaning.length > 0 ? meaning : distinct;
  if (terms.length <= MAX_TERMS) return terms;
  // The longest words are the rarest as a rule; of those, the rarest in fact.
  const longest = terms
    .toSorted((a, b) => b.term.weight * b.term.word.length - a.term.weight * a.term.word.length)
    .slice(0, MAX_COUNTED);
  const counted = await vocabulary.counted(longest.map(({ term }) => term.word));
  const docs = new Map(counted.map((each) => [each.word, each.docs]));
  const found = longest.filter(({ term }) => docs.has(term.word));
  const rarity = ({ term }: ChosenTerm) => term.weight / Math.log(2 + (docs.get(term.word) ?? 1));
  return (found.length >= MAX_TERMS / 3 ? found : longest)
    .toSorted((a, b) => rarity(b) - rarity(a))
    .slice(0, MAX_TERMS);
}

/** How a term was found in a session. */
interface TermFound {
  /** What it is worth there, at its best. */
  worth: number;
  /** The word it was found as, where it was taken for misspelled. */
  correctedTo?: string;
}

interface EntryFound {
  row: HitRow;
  worth: number;
  /** What each term is worth in it. */
  terms: Map<LooseTerm, number>;
}

/** Collects entries and sessions, term by term. */
class LooseFinder {
  readonly #db: Reader;
  readonly #wanted: WantedBy;
  readonly #lastEntry: number;
  readonly #terms: { term: LooseTerm; idf: number; isCut: boolean; expression: string }[] = [];
  readonly #files = new Map<number, { found: Map<LooseTerm, TermFound>; entries: Map<number, EntryFound> }>();
  /** Files that have all that is required; undefined where nothing is. */
  #required: Set<number> | undefined;
  readonly terms: Term[] = [];

  constructor(db: Reader, wanted: WantedBy, lastEntry: number) {
    this.#db = db;
    this.#wanted = wanted;
    this.#lastEntry = lastEntry;
  }

  /** Leaves only sessions that have a part of the query. @returns whether any is left */
  async require(part: Parameters<typeof findHits>[1]): Promise<boolean> {
    const { rows } = await this.#rows({ ...part, weighed: [] }, 4 * MAX_ROWS);
    const files = new Set(rows.map(({ file_id }) => file_id));
    this.#required = this.#required ? this.#required.intersection(files) : files;
    for (const row of rows) this.#entry(row).worth += 1;
    return this.#required.size > 0;
  }

  async add(term: LooseTerm, variants: readonly Variant[]): Promise<void> {
    let docs = 0;
    let isCut = false;
    let idf = 0;
    for (const each of byQuality(variants)) {
      if (docs > 0 && each.quality < MIN_QUALITY_BESIDE_OTHERS) break;
      const { rows, more } = await this.#rows(this.#wanted.words(each.expression), MAX_ROWS);
      if (rows.length === 0) continue;
      docs += more ? COMMON_DOCS : rows.length;
      isCut ||= more;
      idf = this.#idf(docs);
      this.terms.push(...each.words);
      for (const row of rows) this.#found(term, row, idf, each);
    }
    this.#terms.push({ term, idf: docs === 0 ? this.#idf(1) : idf, isCut, expression: "" });
  }

  /** The best sessions, best first. */
  candidates(groups: readonly LooseGroup[]): (ClosestSession & { score: number })[] {
    const scored = [...this.#files].flatMap(([fileId, { found, entries }]) => {
      if (this.#required && !this.#required.has(fileId)) return [];
      const all = [...entries.values()].sort((a, b) => b.worth - a.worth || b.row.id - a.row.id);
      const [best] = all;
      if (!best) return [];
      const words = ENTRY_SHARE * best.worth + (1 - ENTRY_SHARE) * bestStretch(all);
      return [{ fileId, all, found, score: score({ ...best.row, words }, signals(best.row)) }];
    });
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_CANDIDATES)
      .map(({ fileId, all, found, score: worth }) => {
        const lacks = this.#lacks(groups, found);
        const hits = all.slice(0, MAX_HITS).map(({ row, worth: words }) => ({
          ...{ row, copies: [], together: true, lacks },
          score: score({ ...row, words }, signals(row)),
        }));
        return { fileId, score: worth, lacks, hits };
      });
  }

  #lacks(groups: readonly LooseGroup[], found: ReadonlyMap<LooseTerm, TermFound>): Lacks {
    const idfs = new Map(this.#terms.map(({ term, idf }) => [term.word, idf * term.weight]));
    const byWord = new Map([...found].map(([term, each]) => [term.word, each]));
    const missing = groups.flatMap(({ text, terms, isAny }) => {
      const wanted = terms.filter(({ word }) => idfs.has(word));
      if (wanted.length === 0) return [];
      const all = wanted.reduce((sum, { word }) => sum + (idfs.get(word) ?? 0), 0);
      const has = wanted.reduce((sum, { word }) => sum + (byWord.has(word) ? (idfs.get(word) ?? 0) : 0), 0);
      return (isAny ? has > 0 : has >= MIN_SHARE * all) ? [] : [text];
    });
    const corrected = [...found].flatMap(([{ text }, { correctedTo }]) =>
      correctedTo === undefined ? [] : [{ from: text, to: correctedTo }],
    );
    return { missing, corrected };
  }

  #found(term: LooseTerm, row: HitRow, idf: number, { quality, words, isCorrection }: Variant): void {
    const worth = term.weight * idf * quality * lengthWorth(row);
    const { found } = this.#file(row.file_id);
    const before = found.get(term);
    const now = { worth, ...(isCorrection && { correctedTo: words[0]?.text as string }) };
    if (!before) found.set(term, now);
    else if (before.worth < worth) found.set(term, now);
    const entry = this.#entry(row);
    const here = entry.terms.get(term) ?? 0;
    if (worth <= here) return;
    entry.terms.set(term, worth);
    entry.worth += worth - here;
  }

  #entry(row: HitRow): EntryFound {
    const { entries } = this.#file(row.file_id);
    const known = entries.get(row.id);
    if (known) return known;
    const entry: EntryFound = { row, worth: 0, terms: new Map() };
    entries.set(row.id, entry);
    return entry;
  }

  #file(fileId: number) {
    const known = this.#files.get(fileId);
    if (known) return known;
    const file = { found: new Map<LooseTerm, TermFound>(), entries: new Map<number, EntryFound>() };
    this.#files.set(fileId, file);
    return file;
  }

  #rows(wanted: Parameters<typeof findHits>[1], size: number) {
    const within = { first: 0, last: this.#lastEntry };
    return findHits(this.#db, wanted, { size, from: "newest", within });
  }

  #idf(docs: number): number {
    return Math.log(1 + Math.max(0, this.#lastEntry - docs + 0.5) / (docs + 0.5));
  }
}

/** How much of a session's score is that of its best entry; the rest is that of its best stretch. */
const ENTRY_SHARE = 0.4;
/** Lines that a stretch has at most: a question, what was tried, an answer. A whole session holds any word somewhere. */
const STRETCH_LINES = 8;

/** The most that the terms are worth in a few lines of a session in a row. */
function bestStretch(entries: readonly EntryFound[]): number {
  const inOrder = entries.toSorted((a, b) => a.row.line - b.row.line);
  let best = 0;
  for (const [n, first] of inOrder.entries()) {
    const terms = new Map<LooseTerm, number>();
    for (let at = n; at < inOrder.length; at++) {
      const each = inOrder[at] as EntryFound;
      if (each.row.line >= first.row.line + STRETCH_LINES) break;
      for (const [term, worth] of each.terms) terms.set(term, Math.max(worth, terms.get(term) ?? 0));
    }
    let sum = 0;
    for (const worth of terms.values()) sum += worth;
    best = Math.max(best, sum);
  }
  return best;
}

/** What is missing of a word that was written with signs is told where less than this part of it is found. */
const MIN_SHARE = 0.4;
/** How many entries a word is taken to be in that is in more than are looked at. */
const COMMON_DOCS = 4_000;
/** Where a term is found, words that are less like it are not looked for. */
const MIN_QUALITY_BESIDE_OTHERS = 0.46;

/** Variants in classes, best first, so that each class is asked once. Corrections stay apart: which one matched is told. */
function byQuality(variants: readonly Variant[]): Variant[] {
  const classes: Variant[] = [];
  for (const each of variants.toSorted((a, b) => b.quality - a.quality)) {
    const last = classes.at(-1);
    const isAlike = last && last.quality < 1 && last.quality - each.quality < 0.1;
    if (!last || !isAlike || each.isCorrection || last.isCorrection) classes.push(each);
    else {
      const expression = `(${last.expression} OR ${each.expression})`;
      classes[classes.length - 1] = { ...last, expression, words: [...last.words, ...each.words] };
    }
  }
  return classes;
}

/** What speaks for an entry besides its words. */
function signals(_row: HitRow) {
  const none: ReadonlySet<number> = new Set();
  return { now: Date.now(), phrase: none, near: none, literal: none, named: NOT_NAMED };
}
const NOT_NAMED: ReadonlyMap<number, number> = new Map();

/** Without hits that are copies of entries in sessions that match in full, or in a closer or earlier session. */
async function withoutCopies<Session extends ClosestSession & { score: number }>(
  db: Reader,
  scope: Scope,
  sessions: readonly Session[],
  known: ReadonlySet<number>,
): Promise<Session[]> {
  const ids = sessions.flatMap(({ hits }) => hits.slice(0, 3).map(({ row }) => row.id));
  const places = await placesWithCopies(db, scope, ids);
  const taken = new Set(known);
  const left: Session[] = [];
  for (const session of sessions) {
    const copies = session.hits.slice(0, 3).map(({ row }) => places.get(row.id) ?? []);
    const isCopy = copies.every((all) => all.some(({ file_id }) => taken.has(file_id)));
    if (isCopy && copies.length > 0) continue;
    taken.add(session.fileId);
    left.push(session);
  }
  return left;
}
