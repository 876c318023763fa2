/** A page of a session: its entries, and the cursors of the next and previous pages. */
import type { z } from "zod";
import type { Index, Outline, SessionInfo } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import type { Answer, Control } from "./answer.ts";
import type { BriefSession, ReadAnswer } from "./answers.ts";
import { type Branch, branchThrough, branchTo } from "./branch.ts";
import { BranchEntries } from "./branch-entries.ts";
import { outlineOf } from "./outline-lines.ts";
import type { HeldOutline } from "./outlines.ts";
import { cursorGone, encodePageEnd, type PageEnd } from "./page-end.ts";
import { MOST_OF_PAGE, PageRoom, type Told } from "./page-room.ts";
import { pageText } from "./page-text.ts";
import type { ReadQuestion } from "./questions.ts";
import { briefly, headingTokens } from "./told.ts";

/** Tokens reserved for cursors and the position line. */
const RESERVED_TOKENS = 120;
/** Maximum shares of a page, when reading around an entry: of the entries before it, and of the entry itself. */
const BEFORE_SHARE = 0.3;
const ANCHOR_SHARE = 0.75;
/** Default number of entries before the one to read around. */
const DEFAULT_BEFORE = 2;

interface ReadingOptions {
  params: z.output<typeof ReadQuestion>;
  redactor: Redactor | undefined;
  control: Control;
}

export class Reading {
  readonly #session: SessionInfo;
  readonly #brief: BriefSession;
  readonly #outline: Outline;
  readonly #params: ReadingOptions["params"];
  readonly #redactor: Redactor | undefined;
  readonly #entries: BranchEntries;
  readonly #room: PageRoom;

  constructor(
    index: Index,
    session: SessionInfo,
    cached: HeldOutline,
    { params, redactor, control: { signal } }: ReadingOptions,
  ) {
    const { max_tokens, thinking } = params;
    this.#session = session;
    this.#outline = cached.outline;
    this.#params = params;
    this.#redactor = redactor;
    this.#entries = new BranchEntries(index, session, cached, { redactor, thinking, max_tokens, signal });
    this.#brief = briefly(session, redactor);
    const left = max_tokens - RESERVED_TOKENS - headingTokens(this.#brief);
    this.#room = new PageRoom(max_tokens, left, session.path);
  }

  async goOn(cursor: PageEnd): Promise<Answer<ReadAnswer>> {
    const { branch, at } = this.#resolve(cursor);
    if (cursor.to === "back") return this.back(branch, at);
    if (cursor.to === "outline") return this.outline(branch, at);
    if (cursor.to === "text") return this.#textOf(branch, at, cursor.told ?? 0);
    return this.on(branch, at, cursor.told ?? 0);
  }

  /** Resolves a cursor to a branch and an index on it. @throws PidexError `BAD_CURSOR` */
  #resolve({ to, leaf, line }: PageEnd): { branch: Branch; at: number } {
    const position = this.#outline.line.indexOf(line);
    const exists =
      position >= 0 && (leaf === null || this.#outline.id.some((id) => String(id) === String(leaf)));
    if (!exists || to === "tree") throw cursorGone();
    // The last entry of the branch has no ID, so only the position identifies the branch.
    const branch = leaf === null ? branchThrough(this.#outline, position) : branchTo(this.#outline, leaf);
    const at = branch.positions.indexOf(position);
    if (at < 0) throw cursorGone();
    return { branch, at };
  }

  /** Reads forward from the index `first`, skipping the first `told` characters of the text there. */
  async on(branch: Branch, first: number, told: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await this.#forwards(branch, first, told, Number.POSITIVE_INFINITY);
    return this.answer(branch, entries, { next });
  }

  /** Reads backward: the entries up to and including the index `last`, in branch order. */
  async back(branch: Branch, last: number): Promise<Answer<ReadAnswer>> {
    const entries: Told[] = [];
    let at = last;
    for await (const placed of this.#entries.from(branch, last, -1)) {
      const told = this.#room.fit(placed, entries.length === 0 ? 1 : MOST_OF_PAGE);
      if (!told) break;
      if (told !== "nothing") entries.unshift(told);
      at = placed.at - 1;
    }
    const previous = at >= 0 ? this.#end(branch, "back", at) : undefined;
    return this.answer(branch, entries, { previous });
  }

  /** Reads an entry, the entries after it, and a few before it. */
  async around(position: number): Promise<Answer<ReadAnswer>> {
    const { leaf, after = Number.POSITIVE_INFINITY } = this.#params;
    const requested =
      leaf === undefined ? branchThrough(this.#outline, position) : branchTo(this.#outline, leaf);
    const isOn = requested.positions.includes(position);
    const branch = isOn ? requested : branchThrough(this.#outline, position);
    const at = branch.positions.indexOf(position);
    if (this.#params.before === 0 && after === 0) return this.#textOf(branch, at, 0);

    const tokens = this.#room.left;
    const skipsBefore = this.#params.before === 0 || at === 0;
    this.#room.left = skipsBefore ? tokens : tokens * (1 - BEFORE_SHARE);
    const following = await this.#forwards(branch, at, 0, after, ANCHOR_SHARE);
    this.#room.left += skipsBefore ? 0 : tokens * BEFORE_SHARE;
    // If everything after the entry fits, the remaining room goes to the entries before it.
    const before =
      this.#params.before ?? (following.next === undefined ? Number.POSITIVE_INFINITY : DEFAULT_BEFORE);
    const preceding: Told[] = [];
    let first = at;
    for await (const placed of this.#entries.from(branch, at - 1, -1)) {
      if (preceding.length >= before) break;
      const told = this.#room.fit(placed, MOST_OF_PAGE);
      if (!told) break;
      if (told !== "nothing") preceding.unshift(told);
      first = placed.at;
    }
    const previous = first > 0 ? this.#end(branch, "back", first - 1) : undefined;
    return this.answer(branch, [...preceding, ...following.entries], { previous, next: following.next });
  }

  async outline(branch: Branch, from: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await outlineOf(
      { branch, from, outline: this.#outline, redactor: this.#redactor, tokens: this.#room.left },
      (indexes) => this.#entries.at(branch, indexes),
    );
    return this.answer(branch, entries, {
      next: next === undefined ? undefined : this.#end(branch, "outline", next),
    });
  }

  /** Reads the text of one entry, as much as fits. */
  async #textOf(branch: Branch, at: number, told: number): Promise<Answer<ReadAnswer>> {
    const [placed] = await this.#entries.at(branch, [at]);
    if (!placed) return this.answer(branch, [], {});
    const entry = this.#room.fit(placed, 1, told);
    if (entry === undefined || entry === "nothing") return this.answer(branch, [], {});
    const next = entry.rest === undefined ? undefined : this.#end(branch, "text", at, entry.rest);
    return this.answer(branch, [entry], { next });
  }

  async #forwards(branch: Branch, first: number, told: number, limit: number, share = 1) {
    const entries: Told[] = [];
    let at = first;
    for await (const placed of this.#entries.from(branch, first, 1)) {
      if (entries.length > limit) break;
      const isFirst = placed.at === first;
      const fits = isFirst ? this.#room.fit(placed, share, told, true) : this.#room.fit(placed, MOST_OF_PAGE);
      if (!fits) break;
      if (fits !== "nothing") entries.push(fits);
      at = placed.at + 1;
      // The next page continues where the first entry was truncated, so that paging returns all of its text.
      if (isFirst && fits !== "nothing" && fits.rest !== undefined && share === 1)
        return { entries, next: this.#end(branch, "on", placed.at, fits.rest) };
    }
    const next = at < branch.positions.length ? this.#end(branch, "on", at) : undefined;
    return { entries, next };
  }

  #end({ positions, leaf }: Branch, to: PageEnd["to"], at: number, told?: number): string {
    const line = this.#outline.line[positions[at] as number] as number;
    return encodePageEnd(this.#session.path, { to, leaf, line, ...(told !== undefined && { told }) });
  }

  answer(
    { positions }: Branch,
    told: readonly Told[],
    { next, previous }: { next?: string | undefined; previous?: string | undefined },
  ): Answer<ReadAnswer> {
    const session = this.#brief;
    const first = told[0]?.at;
    const last = told.at(-1)?.at;
    const position =
      first === undefined || last === undefined
        ? `none of ${positions.length}`
        : `${first + 1}-${last + 1} of ${positions.length}`;
    const entries = told.map(({ entry }) => entry);
    const data: ReadAnswer = {
      session,
      entries,
      position,
      ...(previous !== undefined && { previous }),
      ...(next !== undefined && { next }),
    };
    return { data, text: pageText(data) };
  }
}
