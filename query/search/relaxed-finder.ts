import { getOrInsert } from "../../src/get-or-insert.ts";
import type { HitConditions } from "../../src/store/conditions.ts";
import { comparePositions, type Position, type PositionRange } from "../../src/store/position.ts";
import type { HitRow } from "../../src/store/search-reads.ts";
import type { TextExpression } from "../../src/store/text-expression.ts";
import type { Clause, SearchTerm } from "../compile-query.ts";
import { toTermWeight } from "../snippet/term-weight.ts";
import type { RelaxedGroup, RelaxedTerm } from "../words/relaxed-terms.ts";
import type { Variant } from "../words/variants.ts";
import { findFilesWithHits } from "./files-with-hits.ts";
import type { ClosestLimits, Search } from "./prepare-search.ts";
import { type ClosestMatchDetails, type RankedHit, scoreHit } from "./rank.ts";
import { lengthFactor } from "./score-terms.ts";

/** Maximum number of entries per term, newest first; and of sessions that are compared in detail. */
const LIMITS: ClosestLimits = { rows: 800, sessions: 120 };
/** Maximum number of entries per required clause. If there are more, sessions are checked one by one. */
const MAX_REQUIRED_ROWS = 3_200;
/** Maximum number of entries kept per session. */
const MAX_HITS = 20;
/** Assumed number of entries for words with more than the maximum. */
const COMMON_DOCS = 4_000;
/** Once a term is found, variants of lower quality are not searched. */
const MIN_QUALITY_BESIDE_OTHERS = 0.46;
/** Score of an entry for a required clause: low, because every candidate satisfies it. */
const REQUIRED_WORTH = 1;
/** Share of a session's score that comes from its best entry; the rest comes from its best window of lines. */
const ENTRY_SHARE = 0.4;
/** Lines per window: a question, attempts, an answer. Across a whole session nearly any word occurs. */
const WINDOW_LINES = 8;
/** Minimum share of an identifier's parts, by weight, for it not to be missing. */
const MIN_SHARE = 0.6;

/** How a term was found in a session. */
interface TermFound {
  /** Its highest score there. */
  worth: number;
  /** The word that was found, if the term was corrected. */
  correctedTo?: string;
}

interface EntryFound {
  row: HitRow;
  worth: number;
  /** Score of each term. */
  terms: Map<RelaxedTerm, number>;
}

/** A session that contains some of the terms. */
export interface Candidate {
  fileId: number;
  /** Its best entries, best first. */
  hits: RankedHit[];
  found: Map<RelaxedTerm, TermFound>;
  score: number;
}

/** Collects entries that contain terms of a query, term by term, and ranks their sessions. */
export class RelaxedFinder {
  readonly #search: Pick<Search, "reads" | "plan" | "entries">;
  readonly #limits: ClosestLimits;
  readonly #within: PositionRange;
  /** Weight of each term and, if it has more entries than were read, the texts to check sessions for. */
  readonly #terms = new Map<RelaxedTerm, { idf: number; cut: TextExpression[] }>();
  readonly #files = new Map<
    number,
    { found: Map<RelaxedTerm, TermFound>; entries: Map<Position, EntryFound> }
  >();
  /** Files that satisfy all required clauses; undefined if there are none. */
  #required: Set<number> | undefined;
  /** Required clauses with too many entries to list their files. */
  readonly #checked: HitConditions[] = [];
  /** The words that were found; snippets highlight them. */
  readonly terms: SearchTerm[] = [];

  constructor(search: Pick<Search, "reads" | "plan" | "entries" | "windows">, within: PositionRange) {
    this.#search = search;
    this.#limits = search.windows.closest ?? LIMITS;
    this.#within = within;
  }

  /** Keeps only sessions that satisfy a clause. @returns whether any is left */
  async require(part: Clause): Promise<boolean> {
    const hitConditions = { ...this.#search.plan.forClause(part), scored: [] };
    const { rows, more } = await this.#rows(hitConditions, MAX_REQUIRED_ROWS);
    for (const row of rows) this.#entry(row).worth += REQUIRED_WORTH;
    if (more) this.#checked.push(hitConditions);
    else {
      const files = new Set(rows.map(({ file_id }) => file_id));
      this.#required = this.#required ? this.#required.intersection(files) : files;
    }
    return this.#required === undefined || this.#required.size > 0;
  }

  /** Searches for a term in all its variants. */
  async add(term: RelaxedTerm, variants: readonly Variant[]): Promise<void> {
    const entries = new Set<Position>();
    let idf = this.#idf(1);
    const cut: TextExpression[] = [];
    for (const variant of byQuality(variants)) {
      if (entries.size > 0 && variant.quality < MIN_QUALITY_BESIDE_OTHERS) break;
      const { rows, more } = await this.#rows(
        this.#search.plan.forText(variant.expression),
        this.#limits.rows,
      );
      if (rows.length === 0) continue;
      for (const { position } of rows) entries.add(position);
      if (more) cut.push(variant.expression);
      // A form is as rare as all variants of at least its quality, so that a word's own weight is not lowered by its forms.
      idf = this.#idf(cut.length > 0 ? COMMON_DOCS : entries.size);
      for (const row of rows) this.#record(term, row, idf, variant);
      const weight = toTermWeight(
        rows.length < this.#limits.rows ? rows.length : COMMON_DOCS,
        this.#search.entries,
      );
      this.terms.push(...variant.words.map((word) => ({ ...word, weight })));
    }
    this.#terms.set(term, { idf, cut });
  }

  /** The best sessions, best first. */
  candidates(): Candidate[] {
    const scored = [...this.#files].flatMap(([fileId, { found, entries }]) => {
      if (this.#required && !this.#required.has(fileId)) return [];
      const all = [...entries.values()].sort(
        (a, b) => b.worth - a.worth || comparePositions(b.row.position, a.row.position),
      );
      const [best] = all;
      if (!best) return [];
      const words = ENTRY_SHARE * best.worth + (1 - ENTRY_SHARE) * bestWindowScore(all);
      return [{ fileId, all, found, score: scoreOf(best.row, words) }];
    });
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, this.#limits.sessions)
      .map(({ all, ...rest }) => ({
        ...rest,
        hits: all.slice(0, MAX_HITS).map(({ row, worth }): RankedHit => {
          return { row, copies: [], crossEntry: false, score: scoreOf(row, worth) };
        }),
      }));
  }

  /** Keeps the sessions that also satisfy the required clauses with too many entries to list. */
  async filterByRequired(candidates: readonly Candidate[]): Promise<readonly Candidate[]> {
    let left = candidates;
    for (const hitConditions of this.#checked) {
      const files = left.map(({ fileId }) => fileId);
      const met = await findFilesWithHits(this.#search.reads, hitConditions, files, this.#within);
      left = left.filter(({ fileId }) => met.has(fileId));
    }
    return left;
  }

  /** Checks sessions for common terms of which only the newest entries were read. */
  async addCommonTerms(sessions: readonly Candidate[]): Promise<void> {
    for (const { fileId, found } of sessions) {
      for (const [term, { cut }] of this.#terms) {
        if (cut.length === 0 || found.has(term)) continue;
        const anyOf = this.#search.plan.forText({ kind: "any", of: cut });
        const here = { size: 1, from: "newest", within: this.#within, files: new Set([fileId]) } as const;
        const { rows } = await this.#search.reads.findMatches(anyOf, here);
        if (rows.length > 0) found.set(term, { worth: 0 });
      }
    }
  }

  /** Returns missing and corrected words of a query. Terms that were not searched never count as missing. */
  getDetails(
    groups: readonly RelaxedGroup[],
    found: ReadonlyMap<RelaxedTerm, TermFound>,
  ): ClosestMatchDetails {
    const worth = new Map([...this.#terms].map(([term, { idf }]) => [term.word, idf * term.weight]));
    const has = new Set([...found.keys()].map(({ word }) => word));
    const missing = groups.flatMap(({ text, terms, isOr }) => {
      const searched = terms.filter(({ word }) => worth.has(word));
      if (searched.length === 0) return [];
      const sum = (some: readonly RelaxedTerm[]) =>
        some.reduce((total, { word }) => total + (worth.get(word) ?? 0), 0);
      const foundWeight = sum(searched.filter(({ word }) => has.has(word)));
      return (isOr ? foundWeight > 0 : foundWeight >= MIN_SHARE * sum(searched)) ? [] : [text];
    });
    const corrected = [...found].flatMap(([{ text }, { correctedTo }]) =>
      correctedTo === undefined ? [] : [{ from: text, to: correctedTo }],
    );
    return { missing: [...new Set(missing)], corrected };
  }

  #record(term: RelaxedTerm, row: HitRow, idf: number, { quality, words, isCorrection }: Variant): void {
    const worth = term.weight * idf * quality * lengthFactor(row);
    const { found } = this.#file(row.file_id);
    if ((found.get(term)?.worth ?? -1) < worth) {
      found.set(term, { worth, ...(isCorrection && { correctedTo: words[0]?.text as string }) });
    }
    const entry = this.#entry(row);
    const here = entry.terms.get(term) ?? 0;
    if (worth <= here) return;
    entry.terms.set(term, worth);
    entry.worth += worth - here;
  }

  #entry(row: HitRow): EntryFound {
    const { entries } = this.#file(row.file_id);
    return getOrInsert(entries, row.position, () => ({ row, worth: 0, terms: new Map() }));
  }

  #file(fileId: number) {
    return getOrInsert(this.#files, fileId, () => ({ found: new Map(), entries: new Map() }));
  }

  #rows(hitConditions: HitConditions, size: number) {
    return this.#search.reads.findHits(hitConditions, { size, from: "newest", within: this.#within });
  }

  #idf(docs: number): number {
    return Math.log(1 + this.#search.entries / docs);
  }
}

/**
 * Merges variants of similar quality into one, best first. Corrections stay separate, so that results can name
 * them.
 */
function byQuality(variants: readonly Variant[]): Variant[] {
  const classes: Variant[] = [];
  for (const each of variants.toSorted((a, b) => b.quality - a.quality)) {
    const last = classes.at(-1);
    const isAlike = last && last.quality < 1 && last.quality - each.quality < 0.1;
    if (!last || !isAlike || each.isCorrection || last.isCorrection) classes.push(each);
    else {
      const expression: TextExpression = { kind: "any", of: [last.expression, each.expression] };
      classes[classes.length - 1] = { ...last, expression, words: [...last.words, ...each.words] };
    }
  }
  return classes;
}

/** The highest total score of the terms within a few consecutive lines of a session. */
function bestWindowScore(entries: readonly EntryFound[]): number {
  const inOrder = entries.toSorted((a, b) => a.row.line - b.row.line);
  let best = 0;
  for (const [n, first] of inOrder.entries()) {
    const terms = new Map<RelaxedTerm, number>();
    for (let at = n; at < inOrder.length; at++) {
      const each = inOrder[at] as EntryFound;
      if (each.row.line >= first.row.line + WINDOW_LINES) break;
      for (const [term, worth] of each.terms) terms.set(term, Math.max(worth, terms.get(term) ?? 0));
    }
    let sum = 0;
    for (const worth of terms.values()) sum += worth;
    best = Math.max(best, sum);
  }
  return best;
}

const NONE: ReadonlySet<Position> = new Set();
const NOT_NAMED: ReadonlyMap<number, number> = new Map();

/** Score of an entry from its text score, role, age and branch. */
function scoreOf(row: HitRow, words: number): number {
  const signals = { now: Date.now(), phrase: NONE, near: NONE, literal: NONE, nameMatch: NOT_NAMED };
  return scoreHit({ ...row, words }, signals);
}
