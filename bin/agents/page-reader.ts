/** A page of a session: its entries, and the cursors of the next and previous pages. */
import type { z } from "zod";
import type { Index, Outline, SessionInfo } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import type { Answer, RequestOptions } from "./answer.ts";
import type { BriefSession, ReadAnswer } from "./answers.ts";
import { type Branch, getBranchThrough, getBranchTo } from "./branch.ts";
import { BranchReader } from "./branch-reader.ts";
import { buildOutline } from "./build-outline.ts";
import { formatPage } from "./format-page.ts";
import { countHeadingTokens, toBriefSession } from "./format-session.ts";
import type { CachedOutline } from "./outline-cache.ts";
import type { ReadParams } from "./params.ts";
import { encodeReadCursor, type ReadCursor, staleCursorError } from "./read-cursor.ts";
import { MAX_ENTRY_SHARE, type RenderedEntry, TokenBudget } from "./token-budget.ts";

/** Tokens reserved for cursors and the position line. */
const RESERVED_TOKENS = 120;
/** Maximum shares of a page, when reading around an entry: of the entries before it, and of the entry itself. */
const BEFORE_SHARE = 0.3;
const ANCHOR_SHARE = 0.75;
/** Default number of entries before the one to read around. */
const DEFAULT_BEFORE = 2;

interface ReadingOptions {
  params: z.output<typeof ReadParams>;
  redactor: Redactor | undefined;
  control: RequestOptions;
}

export class PageReader {
  readonly #session: SessionInfo;
  readonly #brief: BriefSession;
  readonly #outline: Outline;
  readonly #params: ReadingOptions["params"];
  readonly #redactor: Redactor | undefined;
  readonly #entries: BranchReader;
  readonly #room: TokenBudget;

  constructor(
    index: Index,
    session: SessionInfo,
    cached: CachedOutline,
    { params, redactor, control: { signal } }: ReadingOptions,
  ) {
    const { max_tokens, thinking } = params;
    this.#session = session;
    this.#outline = cached.outline;
    this.#params = params;
    this.#redactor = redactor;
    this.#entries = new BranchReader(index, session, cached, { redactor, thinking, max_tokens, signal });
    this.#brief = toBriefSession(session, redactor);
    const left = max_tokens - RESERVED_TOKENS - countHeadingTokens(this.#brief);
    this.#room = new TokenBudget(max_tokens, left, session.path);
  }

  async continueFrom(cursor: ReadCursor): Promise<Answer<ReadAnswer>> {
    const { branch, at } = this.#resolve(cursor);
    if (cursor.mode === "back") return this.readBackward(branch, at);
    if (cursor.mode === "outline") return this.readOutline(branch, at);
    if (cursor.mode === "text") return this.#textOf(branch, at, cursor.offset ?? 0);
    return this.readForward(branch, at, cursor.offset ?? 0);
  }

  /** Resolves a cursor to a branch and an index on it. @throws PidexError `BAD_CURSOR` */
  #resolve({ mode, leaf, line }: ReadCursor): { branch: Branch; at: number } {
    const position = this.#outline.line.indexOf(line);
    const exists =
      position >= 0 && (leaf === null || this.#outline.id.some((id) => String(id) === String(leaf)));
    if (!exists || mode === "tree") throw staleCursorError();
    // The last entry of the branch has no id, so only the position identifies the branch.
    const branch =
      leaf === null ? getBranchThrough(this.#outline, position) : getBranchTo(this.#outline, leaf);
    const at = branch.positions.indexOf(position);
    if (at < 0) throw staleCursorError();
    return { branch, at };
  }

  /** Reads forward from the index `first`, skipping the first `offset` characters of the text there. */
  async readForward(branch: Branch, first: number, offset: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await this.#forwards(branch, first, offset, Number.POSITIVE_INFINITY);
    return this.toAnswer(branch, entries, { next });
  }

  /** Reads backward: the entries up to and including the index `last`, in branch order. */
  async readBackward(branch: Branch, last: number): Promise<Answer<ReadAnswer>> {
    const entries: RenderedEntry[] = [];
    let at = last;
    for await (const placed of this.#entries.readFrom(branch, last, -1)) {
      const fitted = this.#room.fitEntry(placed, entries.length === 0 ? 1 : MAX_ENTRY_SHARE);
      if (!fitted) break;
      if (fitted !== "nothing") entries.unshift(fitted);
      at = placed.index - 1;
    }
    const previous = at >= 0 ? this.#end(branch, "back", at) : undefined;
    return this.toAnswer(branch, entries, { previous });
  }

  /** Reads an entry, the entries after it, and a few before it. */
  async readAround(position: number): Promise<Answer<ReadAnswer>> {
    const { leaf, after = Number.POSITIVE_INFINITY } = this.#params;
    const requested =
      leaf === undefined ? getBranchThrough(this.#outline, position) : getBranchTo(this.#outline, leaf);
    const isOn = requested.positions.includes(position);
    const branch = isOn ? requested : getBranchThrough(this.#outline, position);
    const at = branch.positions.indexOf(position);
    if (this.#params.before === 0 && after === 0) return this.#textOf(branch, at, 0);

    const tokens = this.#room.tokensLeft;
    const skipsBefore = this.#params.before === 0 || at === 0;
    this.#room.tokensLeft = skipsBefore ? tokens : tokens * (1 - BEFORE_SHARE);
    const following = await this.#forwards(branch, at, 0, after, ANCHOR_SHARE);
    this.#room.tokensLeft += skipsBefore ? 0 : tokens * BEFORE_SHARE;
    // If everything after the entry fits, the remaining room goes to the entries before it.
    const before =
      this.#params.before ?? (following.next === undefined ? Number.POSITIVE_INFINITY : DEFAULT_BEFORE);
    const preceding: RenderedEntry[] = [];
    let first = at;
    for await (const placed of this.#entries.readFrom(branch, at - 1, -1)) {
      if (preceding.length >= before) break;
      const fitted = this.#room.fitEntry(placed, MAX_ENTRY_SHARE);
      if (!fitted) break;
      if (fitted !== "nothing") preceding.unshift(fitted);
      first = placed.index;
    }
    const previous = first > 0 ? this.#end(branch, "back", first - 1) : undefined;
    return this.toAnswer(branch, [...preceding, ...following.entries], { previous, next: following.next });
  }

  async readOutline(branch: Branch, from: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await buildOutline(
      { branch, from, outline: this.#outline, redactor: this.#redactor, tokens: this.#room.tokensLeft },
      (indexes) => this.#entries.readAt(branch, indexes),
    );
    return this.toAnswer(branch, entries, {
      next: next === undefined ? undefined : this.#end(branch, "outline", next),
    });
  }

  /** Reads the text of one entry, as much as fits. */
  async #textOf(branch: Branch, at: number, offset: number): Promise<Answer<ReadAnswer>> {
    const [placed] = await this.#entries.readAt(branch, [at]);
    if (!placed) return this.toAnswer(branch, [], {});
    const entry = this.#room.fitEntry(placed, 1, offset);
    if (entry === undefined || entry === "nothing") return this.toAnswer(branch, [], {});
    const next = entry.nextOffset === undefined ? undefined : this.#end(branch, "text", at, entry.nextOffset);
    return this.toAnswer(branch, [entry], { next });
  }

  async #forwards(branch: Branch, first: number, offset: number, limit: number, share = 1) {
    const entries: RenderedEntry[] = [];
    let at = first;
    for await (const placed of this.#entries.readFrom(branch, first, 1)) {
      if (entries.length > limit) break;
      const isFirst = placed.index === first;
      const fits = isFirst
        ? this.#room.fitEntry(placed, share, offset, true)
        : this.#room.fitEntry(placed, MAX_ENTRY_SHARE);
      if (!fits) break;
      if (fits !== "nothing") entries.push(fits);
      at = placed.index + 1;
      // The next page continues where the first entry was truncated, so that paging returns all of its text.
      if (isFirst && fits !== "nothing" && fits.nextOffset !== undefined && share === 1)
        return { entries, next: this.#end(branch, "on", placed.index, fits.nextOffset) };
    }
    const next = at < branch.positions.length ? this.#end(branch, "on", at) : undefined;
    return { entries, next };
  }

  #end({ positions, leaf }: Branch, to: ReadCursor["mode"], at: number, offset?: number): string {
    const line = this.#outline.line[positions[at] as number] as number;
    return encodeReadCursor(this.#session.path, {
      mode: to,
      leaf,
      line,
      ...(offset !== undefined && { offset }),
    });
  }

  toAnswer(
    { positions }: Branch,
    rendered: readonly RenderedEntry[],
    { next, previous }: { next?: string | undefined; previous?: string | undefined },
  ): Answer<ReadAnswer> {
    const session = this.#brief;
    const first = rendered[0]?.index;
    const last = rendered.at(-1)?.index;
    const position =
      first === undefined || last === undefined
        ? `none of ${positions.length}`
        : `${first + 1}-${last + 1} of ${positions.length}`;
    const entries = rendered.map(({ entry }) => entry);
    const data: ReadAnswer = {
      session,
      entries,
      position,
      ...(previous !== undefined && { previous }),
      ...(next !== undefined && { next }),
    };
    return { data, text: formatPage(data) };
  }
}
