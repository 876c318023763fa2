/** The hits of a session in the preview, and which of them is current. */
import { formatHitCount } from "../format/hit-count.ts";
import { toOneLine } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import type { Row, ShownHit } from "./model/view.ts";
import { extractMatches } from "./preview/highlight.ts";

/** Maximum columns of a text that was searched for in the title. */
const MAX_TEXT_COLUMNS = 24;

/** A search for a text in the session. */
export interface Find {
  text: string;
  isSearching: boolean;
}

export class SessionHits {
  /** In file order. */
  #hits: readonly ShownHit[] = [];
  /** Index of the current one. */
  #current: number | undefined;
  /** Number of all hits of the session, of which only the best may be known. */
  #count = 0;
  #areAllKnown = false;
  #matches: readonly string[] = [];
  /** The text that the session is searched for, or whose matches are the hits. */
  #find: Find | undefined;

  get areAllKnown(): boolean {
    return this.#areAllKnown;
  }

  /** Whether the hits are those of a text that the session is searched for. */
  get isFinding(): boolean {
    return this.#find !== undefined;
  }

  /** The matched texts. */
  get matches(): readonly string[] {
    return this.#matches;
  }

  /** Index of the current hit. */
  get current(): number | undefined {
    return this.#current;
  }

  /** Line of the file of the current hit. */
  get line(): number | undefined {
    return this.#current === undefined ? undefined : this.#hits[this.#current]?.line;
  }

  /**
   * Begins with the best hits of a query, best first, and the number of all.
   *
   * @param isAtBest whether the best hit is the current one
   */
  start(
    { hits, hitCount, hasUnknownHits }: Pick<Row, "hits" | "hitCount" | "hasUnknownHits">,
    isAtBest: boolean,
  ): void {
    const [best] = hits;
    this.#hits = hits.toSorted((a, b) => a.line - b.line);
    this.#current = isAtBest && best ? this.#hits.indexOf(best) : undefined;
    this.#count = hitCount;
    this.#areAllKnown = !hasUnknownHits && hitCount <= hits.length;
    this.#matches = extractMatches(hits);
    this.#find = undefined;
  }

  /** Sets all hits of the query. The current one stays, or else becomes the first one. */
  setAll(hits: readonly ShownHit[]): void {
    const { line } = this;
    const same = hits.findIndex((hit) => hit.line === line);
    this.#current = same >= 0 ? same : this.#current === undefined ? undefined : 0;
    this.#replace(hits);
  }

  /** Goes to the next (1) or previous (-1) hit, wrapping around. @returns false if there are none */
  step(by: 1 | -1): boolean {
    const count = this.#hits.length;
    if (count === 0) return false;
    const from = this.#current ?? (by === 1 ? -1 : 0);
    this.#current = (from + by + count) % count;
    return true;
  }

  /** Goes to the first hit from a line of the file on (1), or to the last one before it (-1), wrapping around. @returns as `step` */
  stepFrom(line: number, by: 1 | -1): boolean {
    const count = this.#hits.length;
    const found =
      by === 1
        ? this.#hits.findIndex((hit) => hit.line >= line)
        : this.#hits.findLastIndex((hit) => hit.line < line);
    if (count > 0) this.#current = found >= 0 ? found : by === 1 ? 0 : count - 1;
    return count > 0;
  }

  /** Goes to the first hit in a message, or else to the first one. @returns false if there are none */
  goToFirst(): boolean {
    if (this.#hits.length === 0) return false;
    this.#current = Math.max(
      0,
      this.#hits.findIndex(({ type }) => type === "message"),
    );
    return true;
  }

  /**
   * Begins a search for a text, which ends with `endFind`.
   *
   * @param options.isLiteral whether it is searched as it is, in any case, and not by its words
   */
  startFind(text: string, { isLiteral }: { isLiteral: boolean }) {
    const before = this.#find;
    const find: Find = { text, isSearching: true };
    this.#find = find;
    return { find, before, isLiteral };
  }

  /**
   * Replaces the hits with those of a text, unless there are none. The first one at or below a line becomes the current one.
   *
   * @returns whether there are hits; undefined if another search or session replaced the search
   */
  endFind(
    { find, before, isLiteral }: ReturnType<SessionHits["startFind"]>,
    hits: readonly ShownHit[],
    fromLine: number,
  ): boolean | undefined {
    if (this.#find !== find) return undefined;
    if (hits.length === 0) {
      this.#find = before;
      return false;
    }
    this.#current = Math.max(
      0,
      hits.findIndex(({ line }) => line >= fromLine),
    );
    this.#replace(hits);
    // A snippet may end within a match: its part would be found everywhere.
    if (isLiteral) this.#matches = [find.text];
    return true;
  }

  /** Whether a text is being searched. */
  get isSearching(): boolean {
    return this.#find?.isSearching === true;
  }

  /** The position of the current hit among all hits, once they are known; until then their number. */
  format(): string {
    const text = `"${truncate(toOneLine(this.#find?.text ?? ""), MAX_TEXT_COLUMNS)}"`;
    if (this.#find?.isSearching) return `searching for ${text}…`;
    if (this.#hits.length === 0) return "";
    const which = this.#find ? ` for ${text}` : "";
    if (this.#current !== undefined && this.#areAllKnown)
      return `${this.#current + 1} of ${formatHitCount(this.#hits.length)}${which}`;
    return formatHitCount(Math.max(this.#count, this.#hits.length));
  }

  #replace(hits: readonly ShownHit[]): void {
    this.#hits = hits;
    this.#areAllKnown = true;
    this.#matches = extractMatches(hits);
  }
}
