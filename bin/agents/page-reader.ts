/** A page of a session: its entries, and the cursors of the next and previous pages. */
import type { Answer } from "./answer.ts";
import type { BriefSession, ReadAnswer } from "./answers.ts";
import { type Branch, getBranchThrough, getBranchTo } from "./branch.ts";
import { type Reading, readEntriesAt, readEntriesFrom } from "./branch-reader.ts";
import { readOutlineEntries } from "./build-outline.ts";
import { takeFitting } from "./fit-to-budget.ts";
import { formatPage } from "./format-page.ts";
import { countHeadingTokens, toBriefSession } from "./format-session.ts";
import { encodeReadCursor, type ReadCursor, staleCursorError } from "./read-cursor.ts";
import { MAX_ENTRY_SHARE, type RenderedEntry, TokenBudget } from "./token-budget.ts";

/** Tokens reserved for cursors and the position line. */
const RESERVED_TOKENS = 120;
/** Maximum shares of a page, when reading around an entry: of the entries before it, and of the entry itself. */
const BEFORE_SHARE = 0.3;
const ANCHOR_SHARE = 0.75;
/** Default number of entries before the one to read around. */
const DEFAULT_BEFORE = 2;

export class PageReader {
  readonly #reading: Reading;
  readonly #brief: BriefSession;
  readonly #room: TokenBudget;

  constructor(reading: Reading) {
    const { max_tokens } = reading.params;
    this.#reading = reading;
    this.#brief = toBriefSession(reading.session, reading.redactor);
    const left = max_tokens - RESERVED_TOKENS - countHeadingTokens(this.#brief);
    this.#room = new TokenBudget(max_tokens, left, reading.session.path);
  }

  async continueFrom(cursor: ReadCursor): Promise<Answer<ReadAnswer>> {
    const { branch, at } = this.#resolve(cursor);
    if (cursor.mode === "back") return this.readBackward(branch, at);
    if (cursor.mode === "outline") return this.readOutline(branch, at);
    if (cursor.mode === "text") return this.#readText(branch, at, cursor.offset);
    return this.readForward(branch, at, cursor.offset);
  }

  /** Resolves a cursor to a branch and an index on it. @throws PidexError `BAD_CURSOR` */
  #resolve({ mode, leaf, line }: ReadCursor): { branch: Branch; at: number } {
    const { outline } = this.#reading;
    const position = outline.line.indexOf(line);
    const exists = position >= 0 && (leaf === null || outline.id.some((id) => String(id) === String(leaf)));
    if (!exists || mode === "tree") throw staleCursorError();
    // The last entry of the branch has no id, so only the position identifies the branch.
    const branch = leaf === null ? getBranchThrough(outline, position) : getBranchTo(outline, leaf);
    const at = branch.positions.indexOf(position);
    if (at < 0) throw staleCursorError();
    return { branch, at };
  }

  /** Reads forward from the index `first`, skipping the first `offset` characters of the text there. */
  async readForward(branch: Branch, first: number, offset?: number): Promise<Answer<ReadAnswer>> {
    const { entries, next, nextOffset } = await this.#fit(branch, first, 1, { offset });
    return this.toAnswer(branch, entries, { next: this.#cursor(branch, "on", next, nextOffset) });
  }

  /** Reads backward: the entries up to and including the index `last`, in branch order. */
  async readBackward(branch: Branch, last: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await this.#fit(branch, last, -1);
    return this.toAnswer(branch, entries, { previous: this.#cursor(branch, "back", next) });
  }

  /** Reads an entry, the entries after it, and a few before it. */
  async readAround(position: number): Promise<Answer<ReadAnswer>> {
    const { outline, params } = this.#reading;
    const { leaf, after = Number.POSITIVE_INFINITY } = params;
    const requested = getBranchTo(outline, leaf);
    const isOn = requested.positions.includes(position);
    const branch = isOn ? requested : getBranchThrough(outline, position);
    const at = branch.positions.indexOf(position);
    if (params.before === 0 && after === 0) return this.#readText(branch, at);

    const reserved = params.before === 0 || at === 0 ? 0 : this.#room.tokensLeft * BEFORE_SHARE;
    this.#room.tokensLeft -= reserved;
    const following = await this.#fit(branch, at, 1, { share: ANCHOR_SHARE, limit: 1 + after });
    this.#room.tokensLeft += reserved;
    const next = this.#cursor(branch, "on", following.next);
    // If everything after the entry fits, the remaining room goes to the entries before it.
    const limit = params.before ?? (next === undefined ? undefined : DEFAULT_BEFORE);
    const preceding = await this.#fit(branch, at - 1, -1, { share: MAX_ENTRY_SHARE, limit });
    const previous = this.#cursor(branch, "back", preceding.next);
    return this.toAnswer(branch, [...preceding.entries, ...following.entries], { previous, next });
  }

  async readOutline(branch: Branch, from: number): Promise<Answer<ReadAnswer>> {
    const all = readOutlineEntries(this.#reading, branch, from);
    const { taken, next } = await takeFitting(all, this.#room.tokensLeft);
    return this.toAnswer(branch, taken, { next: next && this.#cursor(branch, "outline", next.index) });
  }

  /** Reads the text of one entry, as much as fits. */
  async #readText(branch: Branch, at: number, offset?: number): Promise<Answer<ReadAnswer>> {
    const [placed] = await readEntriesAt(this.#reading, branch, [at]);
    const entry = placed && this.#room.fitEntry(placed, 1, offset);
    if (!entry || entry === "nothing") return this.toAnswer(branch, [], {});
    const { nextOffset } = entry;
    const next = nextOffset === undefined ? undefined : this.#cursor(branch, "text", at, nextOffset);
    return this.toAnswer(branch, [entry], { next });
  }

  /**
   * Fits entries into the page, from the index `first` on, forwards or backwards.
   *
   * @param options.share maximum share of the page for the first entry; if it is truncated at the whole page, the next page continues its text
   * @param options.offset characters of its text that earlier pages returned
   * @param options.limit maximum number of entries
   * @returns the entries in branch order, and the index where the next page starts, which may be outside the branch
   */
  async #fit(
    branch: Branch,
    first: number,
    step: 1 | -1,
    options: { share?: number; offset?: number | undefined; limit?: number | undefined } = {},
  ): Promise<{ entries: RenderedEntry[]; next: number; nextOffset?: number }> {
    const { share = 1, offset, limit = Number.POSITIVE_INFINITY } = options;
    const entries: RenderedEntry[] = [];
    let next = first;
    for await (const placed of readEntriesFrom(this.#reading, branch, first, step)) {
      if (entries.length >= limit) break;
      const isFirst = entries.length === 0;
      const fitted = isFirst
        ? this.#room.fitEntry(placed, share, offset)
        : this.#room.fitEntry(placed, MAX_ENTRY_SHARE);
      if (!fitted) break;
      next = placed.index + step;
      if (fitted === "nothing") continue;
      entries.push(fitted);
      const { nextOffset } = fitted;
      if (isFirst && step === 1 && share === 1 && nextOffset !== undefined)
        return { entries, next: placed.index, nextOffset };
    }
    return { entries: step === 1 ? entries : entries.reverse(), next };
  }

  /** A cursor to the index `at` of a branch; undefined outside of it. */
  #cursor(
    { positions, leaf }: Branch,
    mode: ReadCursor["mode"],
    at: number,
    offset?: number,
  ): string | undefined {
    const { session, outline } = this.#reading;
    const line = outline.line[positions[at] ?? -1];
    return line === undefined ? undefined : encodeReadCursor(session.path, { mode, leaf, line, offset });
  }

  toAnswer(
    { positions }: Branch,
    rendered: readonly RenderedEntry[],
    { next, previous }: { next?: string | undefined; previous?: string | undefined },
  ): Answer<ReadAnswer> {
    const [first, last] = [rendered[0], rendered.at(-1)];
    const shown = first && last ? `${first.index + 1}-${last.index + 1}` : "none";
    const position = `${shown} of ${positions.length}`;
    const entries = rendered.map(({ entry }) => entry);
    const data = { session: this.#brief, entries, position, previous, next };
    return { data, text: formatPage(data) };
  }
}
