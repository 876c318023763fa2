import type { z } from "zod";
import type { Index, Outline, PlacedEntry, Redactor, SessionInfo } from "../../index.ts";
import { counted, field, safeJson } from "../wording/safe.ts";
import { dayAndTime } from "../wording/times.ts";
import type { Answer, Control } from "./answer.ts";
import type { BriefSession, ReadAnswer, ReadEntry } from "./answers.ts";
import type { AskingSession } from "./asking.ts";
import { type Branch, branchThrough, branchTo, positionOf, positionOnLine } from "./branch.ts";
import { wordsOf } from "./entry-words.ts";
import type { OtherBranch, OtherBranches } from "./other-branches.ts";
import { outlineOf } from "./outline-lines.ts";
import type { HeldOutline, Outlines } from "./outlines.ts";
import { cursorGone, decodePageEnd, encodePageEnd, type PageEnd } from "./page-end.ts";
import { citation, citationIn, findGiven } from "./place.ts";
import type { ReadQuestion } from "./questions.ts";
import { charactersFor, tokensIn } from "./tokens.ts";
import { briefly, headingOf, lines, QUOTED, quoted, timeIn } from "./told.ts";

type Asked = z.output<typeof ReadQuestion>;

/** What is left for cursors and for what is said of the page, in tokens. */
const AROUND = 120;
/** However little is asked for, so much is told of an entry. */
const LEAST = 60;
/** Of a page, how much one entry may take that is not the one asked for: the rest of it can be asked for. */
const MOST_OF_PAGE = 0.4;
/** Of a page, what is too little to begin another entry in, unless all of that fits. */
const LITTLE = 0.1;
/** Of a window, how much what comes before may take. */
const BEFORE_OF_PAGE = 0.3;
/** So little is not left out, of one letter each at the worst. */
const FEW_TOKENS = 15;
/** So many entries come before the one that is read around, unless somebody says otherwise. */
const USUALLY_BEFORE = 2;
/** Entries that are read at once, and so many tokens of a page ask for one: each time, all rows of the session are gone through. */
const AT_ONCE = { least: 16, most: 64, tokens: 800 };

/** Reads entries of a session, as many as the answer may hold, with cursors for what comes before and behind. */
export async function read(
  index: Index,
  asked: Asked,
  {
    asking,
    redactor,
    control,
    outlines,
  }: { asking: AskingSession; redactor: Redactor | undefined; control: Control; outlines: Outlines },
): Promise<Answer<ReadAnswer>> {
  const { place, session } = await findGiven(index, asked.session, asking);
  const held = await outlines.of(session);
  const { outline } = held;
  const end = asked.cursor === undefined ? undefined : decodePageEnd(asked.cursor, session.path);
  const reading = new Reading(index, session, held, { asked, redactor, control });
  if (outline.id.length === 0) return reading.answer(branchTo(outline, undefined), [], {});
  if (end) return reading.goOn(end);
  if (asked.view === "outline") return reading.outline(branchTo(outline, asked.leaf), 0);
  const anchor = anchorOf(
    outline,
    asked.entry ?? place.entry,
    asked.entry === undefined ? place.line : undefined,
  );
  if (anchor !== undefined) return reading.around(anchor);
  const branch = branchTo(outline, asked.leaf);
  if (asked.from === "end") return reading.back(branch, branch.positions.length - 1);
  return reading.on(branch, 0, 0);
}

/** An id tells better than a line does: a file may have been rewritten since it was cited. The line tells which, where an id stands twice. */
function anchorOf(
  outline: Outline,
  entry: string | number | undefined,
  line: number | undefined,
): number | undefined {
  if (entry !== undefined) {
    const cited = line === undefined ? -1 : outline.line.indexOf(line);
    return cited >= 0 && String(outline.id[cited]) === String(entry) ? cited : positionOf(outline, entry);
  }
  return line === undefined ? undefined : positionOnLine(outline, line);
}

/** An entry that is told, and where it stands on its branch. */
interface Told {
  at: number;
  entry: ReadEntry;
  /** Where its text goes on, if that was cut behind its beginning. */
  rest?: number;
}

class Reading {
  readonly #index: Index;
  readonly #session: SessionInfo;
  readonly #brief: BriefSession;
  readonly #outline: Outline;
  readonly #asked: Asked;
  readonly #redactor: Redactor | undefined;
  readonly #control: Control;
  readonly #others: OtherBranches;
  #left: number;

  constructor(
    index: Index,
    session: SessionInfo,
    { outline, others }: HeldOutline,
    { asked, redactor, control }: { asked: Asked; redactor: Redactor | undefined; control: Control },
  ) {
    this.#index = index;
    this.#session = session;
    this.#outline = outline;
    this.#others = others;
    this.#asked = asked;
    this.#redactor = redactor;
    this.#control = control;
    this.#brief = briefly(session, redactor);
    const heading = Math.max(
      tokensIn(`${headingOf(this.#brief)}\n${this.#brief.path}\n${QUOTED}`),
      tokensIn(JSON.stringify(this.#brief)),
    );
    this.#left = Math.max(asked.max_tokens - AROUND - heading, LEAST);
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
    for await (const placed of this.#each(branch, last, -1)) {
      const told = this.#fit(placed, entries.length === 0 ? 1 : MOST_OF_PAGE);
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

    const whole = this.#left;
    const isAlone = this.#asked.before === 0 || at === 0;
    this.#left = isAlone ? whole : whole * (1 - BEFORE_OF_PAGE);
    const behind = await this.#forwards(branch, at, 0, after, 0.75);
    this.#left += isAlone ? 0 : whole * BEFORE_OF_PAGE;
    // Where all that comes behind is told, there may be room for more of how it came to that.
    const before =
      this.#asked.before ?? (behind.next === undefined ? Number.POSITIVE_INFINITY : USUALLY_BEFORE);
    const ahead: Told[] = [];
    let first = at;
    for await (const placed of this.#each(branch, at - 1, -1)) {
      if (ahead.length >= before) break;
      const told = this.#fit(placed, MOST_OF_PAGE);
      if (!told) break;
      if (told !== "nothing") ahead.unshift(told);
      first = placed.at;
    }
    const previous = first > 0 ? this.#end(branch, "back", first - 1) : undefined;
    return this.answer(branch, [...ahead, ...behind.entries], { previous, next: behind.next });
  }

  async outline(branch: Branch, from: number): Promise<Answer<ReadAnswer>> {
    const { entries, next } = await outlineOf(
      { branch, from, outline: this.#outline, redactor: this.#redactor, tokens: this.#left },
      (first) => this.#each(branch, first, 1),
    );
    return this.answer(branch, entries, {
      next: next === undefined ? undefined : this.#end(branch, "outline", next),
    });
  }

  /** The text of one entry, as much of it as fits. */
  async #textOf(branch: Branch, at: number, told: number): Promise<Answer<ReadAnswer>> {
    const [placed] = await Array.fromAsync(this.#each(branch, at, 1, 1));
    if (!placed) return this.answer(branch, [], {});
    const entry = this.#fit(placed, 1, told);
    if (entry === undefined || entry === "nothing") return this.answer(branch, [], {});
    const next = entry.rest === undefined ? undefined : this.#end(branch, "text", at, entry.rest);
    return this.answer(branch, [entry], { next });
  }

  async #forwards(branch: Branch, first: number, told: number, most: number, share = 1) {
    const entries: Told[] = [];
    let at = first;
    for await (const placed of this.#each(branch, first, 1)) {
      if (entries.length > most) break;
      const isFirst = placed.at === first;
      const fits = isFirst ? this.#fit(placed, share, told, true) : this.#fit(placed, MOST_OF_PAGE);
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

  /**
   * An entry, if there is room; one that must be told always gets some. @param share how much of the page it may take
   */
  #fit(placed: Placed, share: number, told = 0, must = share === 1): Told | "nothing" | undefined {
    if (told > 0 && told >= placed.text.length) throw cursorGone();
    if (placed.text === "") return "nothing";
    const { path } = this.#session;
    const bare = costOf(this.#told(placed, told, 0).entry, path);
    const whole = Math.min(this.#left - bare, this.#asked.max_tokens * share);
    const needed = tokensIn(placed.text.slice(told));
    const isTooLittle = whole < Math.min(needed, this.#asked.max_tokens * LITTLE);
    if (!must && isTooLittle) return undefined;
    let tokens = Math.max(whole, LEAST / 2);
    let fitted = this.#told(placed, told, tokens);
    // As a quotation or as JSON a text may take more than it does as it is: each line has a mark, signs stand for signs.
    for (
      let cost = costOf(fitted.entry, path);
      cost > bare + whole && tokens > LEAST / 2;
      cost = costOf(fitted.entry, path)
    ) {
      tokens = Math.max(LEAST / 2, (tokens * 0.9 * whole) / (cost - bare));
      fitted = this.#told(placed, told, tokens);
    }
    this.#left -= costOf(fitted.entry, path);
    return fitted;
  }

  /** An entry with as much of its text, from one character on, as so many tokens hold. */
  #told({ at, who, text, place, instead, subagents }: Placed, from: number, tokens: number): Told {
    const most = charactersFor(text, from, Math.floor(tokens));
    // To say that a few letters are left out takes more than they do.
    const isNearlyAll = text.length - from - most <= FEW_TOKENS && tokens > 0;
    const end = isNearlyAll ? text.length : from + most;
    const left = text.length - (end - from);
    const timestamp = timeIn(place.entry.timestamp);
    const entry: ReadEntry = {
      entryId: place.entry.id ?? null,
      line: place.line,
      who,
      ...(timestamp !== undefined && { timestamp }),
      text: text.slice(from, end),
      ...(left > 0 && { left_out: left }),
      ...(instead.length > 0 && { instead }),
      ...(subagents.length > 0 && { subagents }),
    };
    return { at, entry, ...(end < text.length && { rest: end }) };
  }

  /** The entries of a branch from one on, forwards or backwards, read a few at a time. */
  async *#each({ positions }: Branch, first: number, step: 1 | -1, only?: number): AsyncGenerator<Placed> {
    const { least, most, tokens } = AT_ONCE;
    const atOnce = only ?? Math.max(least, Math.min(most, Math.ceil(this.#asked.max_tokens / tokens)));
    for (let from = first; from >= 0 && from < positions.length; from += step * atOnce) {
      this.#control.signal?.throwIfAborted();
      const byLine = new Map<number, number>();
      for (let n = 0; n < atOnce; n++) {
        const position = positions[from + step * n];
        if (position !== undefined) byLine.set(this.#outline.line[position] as number, from + step * n);
      }
      const read: Placed[] = [];
      for await (const place of this.#index.entries(this.#session.path, {
        branch: { lines: [...byLine.keys()] },
      })) {
        const entry = this.#redactor ? this.#redactor.value(place.entry) : place.entry;
        const { who, text } = wordsOf(entry, this.#asked);
        const at = byLine.get(place.line) as number;
        const position = positions[at] as number;
        read.push({
          at,
          who,
          text,
          place: { ...place, entry: place.entry },
          instead: this.#others.insteadOf(position),
          subagents: this.#outline.runs.filter((run) => run.position === position).map(({ path }) => path),
        });
      }
      yield* read.sort((a, b) => step * (a.at - b.at));
      if (only !== undefined) return;
    }
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
    return { data, text: textOf(data, session, entries) };
  }
}

interface Placed {
  at: number;
  who: string;
  text: string;
  place: PlacedEntry;
  instead: OtherBranch[];
  /** Paths of sessions. */
  subagents: string[];
}

function textOf(
  { position, next, previous }: ReadAnswer,
  session: BriefSession,
  entries: readonly ReadEntry[],
): string {
  return lines(
    headingOf(session),
    field(session.path),
    `Entries ${position} of the branch. ${QUOTED}`,
    previous !== undefined && `Before: cursor ${previous}`,
    ...entries.map((entry) => textOfEntry(entry, session.path)),
    next !== undefined && `\nMore: cursor ${next}`,
  );
}

function entryHeading({ line, entryId, who, timestamp }: ReadEntry): string {
  const when = timestamp === undefined ? "" : ` ${dayAndTime(new Date(timestamp))}`;
  return `${citationIn(line, entryId)} ${who}${when}`;
}

/** What an entry takes in the longer of both forms, in tokens. */
function costOf(entry: ReadEntry, path: string): number {
  return Math.max(tokensIn(textOfEntry(entry, path)), tokensIn(JSON.stringify(entry)) + 1);
}

function textOfEntry(entry: ReadEntry, path: string): string {
  return `\n${entryHeading(entry)}\n${quoted(entry.text)}${leftOut(entry, path)}${otherWays(entry)}`;
}

function leftOut({ left_out, entryId, line }: ReadEntry, path: string): string {
  if (left_out === undefined) return "";
  // One that has no id is asked for by its line.
  const [name, place] = entryId === null ? ["session", citation(path, line, null)] : ["entry", entryId];
  return `\n(${left_out} characters of this entry are left out; ${name}: ${safeJson(JSON.stringify(place))}, before: 0, after: 0 reads it)`;
}

/** What else can be read of an entry: what was tried in its place, and how a subagent came to its answer. */
function otherWays({ instead = [], subagents = [] }: ReadEntry): string {
  const branches = instead.map(
    ({ line, entryId, entries }) =>
      `another branch goes on with ${citationIn(line, entryId)} in its place: ${counted(entries, "entry", "entries")}`,
  );
  const sessions = subagents.map((path) => `the subagent's own session: ${field(path)}`);
  return [...branches, ...sessions].map((told) => `\n(${told})`).join("");
}
