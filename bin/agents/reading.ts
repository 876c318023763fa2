/** A page of a session: which entries are told, and where it goes on. */
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

/** What is left for cursors and for what is said of the page, in tokens. */
const AROUND = 120;
/** Of a window, how much what comes before may take, and how much the entry itself. */
const BEFORE_OF_PAGE = 0.3;
const MIDDLE_OF_PAGE = 0.75;
/** So many entries come before the one that is read around, unless somebody says otherwise. */
const USUALLY_BEFORE = 2;

interface ReadingOptions {
  asked: z.output<typeof ReadQuestion>;
  redactor: Redactor | undefined;
  control: Control;
}

export class Reading {
  readonly #session: SessionInfo;
  readonly #brief: BriefSession;
  readonly #outline: Outline;
  readonly #asked: ReadingOptions["asked"];
  readonly #redactor: Redactor | undefined;
  readonly #entries: BranchEntries;
  readonly #room: PageRoom;

  constructor(
    index: Index,
    session: SessionInfo,
    held: HeldOutline,
    { asked, redactor, control: { signal } }: ReadingOptions,
  ) {
    const { max_tokens, thinking } = asked;
    this.#session = session;
    this.#outline = held.outline;
    this.#asked = asked;
    this.#redactor = redactor;
    this.#entries = new BranchEntries(index, session, held, { redactor, thinking, max_tokens, signal });
    this.#brief = briefly(session, redactor);
    const left = max_tokens - AROUND - headingTokens(this.#brief);
    this.#room = new PageRoom(max_tokens, left, session.path);
  }

  async goOn(end: PageEnd): Promise<Answer<ReadAnswer>> {
    const { branch, at } = this.#begun(end);
    if (end.to === "back") return this.back(branch, at);
    if (end.to === "outline") return this.outline(branch, at);
    if (end.to === "text") return this.#textOf(branch, at, end.told ?? 0);
    return this.on(branch, at, end.told ?? 0);
  }

  /** Where a page ended. @throws PidexError `BAD_CURSOR` */
  #begun({ to, leaf, line }: PageEnd): { branch: Branch; at: number } {
    const position = this.#outline.line.indexOf(line);
    const isThere =
      position >= 0 && (leaf === null || this.#outline.id.some((id) => String(id) === String(leaf)));
    if (!isThere || to === "tree") throw cursorGone();
    // Of a branch that ends without a name there is the place alone.
    const branch = leaf === null ? branchThrough(this.#outline, position) : branchTo(this.#outline, leaf);
    const at = branch.positions.indexOf(position);
    if (at < 0) throw cursorGone();
    return { branch, at };
  }

  /** Entries from one on; of the first, what comes behind the `told` characters of its text. */
  async on(branch: Branch, first: number, told: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await this.#forwards(branch, first, told, Number.POSITIVE_INFINITY);
    return this.answer(branch, entries, { next });
  }

  /** Entries up to one, which comes last. */
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

  /** An entry, what comes behind it, and a little of what comes before. */
  async around(position: number): Promise<Answer<ReadAnswer>> {
    const { leaf, after = Number.POSITIVE_INFINITY } = this.#asked;
    const named = leaf === undefined ? branchThrough(this.#outline, position) : branchTo(this.#outline, leaf);
    const isOn = named.positions.includes(position);
    const branch = isOn ? named : branchThrough(this.#outline, position);
    const at = branch.positions.indexOf(position);
    if (this.#asked.before === 0 && after === 0) return this.#textOf(branch, at, 0);

    const whole = this.#room.left;
    const isAlone = this.#asked.before === 0 || at === 0;
    this.#room.left = isAlone ? whole : whole * (1 - BEFORE_OF_PAGE);
    const behind = await this.#forwards(branch, at, 0, after, MIDDLE_OF_PAGE);
    this.#room.left += isAlone ? 0 : whole * BEFORE_OF_PAGE;
    // Where all that comes behind is told, there may be room for more of how it came to that.
    const before =
      this.#asked.before ?? (behind.next === undefined ? Number.POSITIVE_INFINITY : USUALLY_BEFORE);
    const ahead: Told[] = [];
    let first = at;
    for await (const placed of this.#entries.from(branch, at - 1, -1)) {
      if (ahead.length >= before) break;
      const told = this.#room.fit(placed, MOST_OF_PAGE);
      if (!told) break;
      if (told !== "nothing") ahead.unshift(told);
      first = placed.at;
    }
    const previous = first > 0 ? this.#end(branch, "back", first - 1) : undefined;
    return this.answer(branch, [...ahead, ...behind.entries], { previous, next: behind.next });
  }

  async outline(branch: Branch, from: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await outlineOf(
      { branch, from, outline: this.#outline, redactor: this.#redactor, tokens: this.#room.left },
      (places) => this.#entries.at(branch, places),
    );
    return this.answer(branch, entries, {
      next: next === undefined ? undefined : this.#end(branch, "outline", next),
    });
  }

  /** The text of one entry, as much of it as fits. */
  async #textOf(branch: Branch, at: number, told: number): Promise<Answer<ReadAnswer>> {
    const [placed] = await this.#entries.at(branch, [at]);
    if (!placed) return this.answer(branch, [], {});
    const entry = this.#room.fit(placed, 1, told);
    if (entry === undefined || entry === "nothing") return this.answer(branch, [], {});
    const next = entry.rest === undefined ? undefined : this.#end(branch, "text", at, entry.rest);
    return this.answer(branch, [entry], { next });
  }

  async #forwards(branch: Branch, first: number, told: number, most: number, share = 1) {
    const entries: Told[] = [];
    let at = first;
    for await (const placed of this.#entries.from(branch, first, 1)) {
      if (entries.length > most) break;
      const isFirst = placed.at === first;
      const fits = isFirst ? this.#room.fit(placed, share, told, true) : this.#room.fit(placed, MOST_OF_PAGE);
      if (!fits) break;
      if (fits !== "nothing") entries.push(fits);
      at = placed.at + 1;
      // The first is gone on with where it was cut: who pages is to get all of it.
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
