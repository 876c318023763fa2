import { otherReadings, type Reading } from "./escapes.ts";
import { libraryRules } from "./library-rules.ts";
import { namedSecret, ownRules } from "./own-rules.ts";
import type { Match, TextRule } from "./text-rule.ts";

/**
 * How much of a text is looked through at once, in UTF-16 units, and how much is seen on either side of that. No rule
 * matches more than that; and where a text was made to slow a rule down, it cannot slow it down for long.
 */
const WINDOW = { size: 1 << 20, margin: 16 << 10 };

/** Shorter texts hold no secret that could be told. */
const SHORTEST = 8;

/** Base64 that is longer than this is an image or a signature: no rule is for what stands in the middle of one. */
const BLOB = 512;

/** Finds secrets in texts. `loadDetector` makes one. */
export class Detector {
  readonly #rules: readonly TextRule[];
  /** What stands in every text that any rule with signs finds something in. */
  readonly #anySign: RegExp;
  readonly #signs: readonly (RegExp | undefined)[];
  readonly #window: typeof WINDOW;

  constructor(rules: readonly TextRule[], window = WINDOW) {
    this.#rules = rules;
    this.#anySign = new RegExp(rules.flatMap(({ sign }) => sign ?? []).join("|"));
    this.#signs = rules.map(({ sign }) => (sign === undefined ? undefined : new RegExp(sign)));
    this.#window = window;
  }

  /** The kinds of secrets that are found. */
  get kinds(): string[] {
    return [...new Set(this.#rules.map(({ kind }) => kind))].sort();
  }

  /**
   * The secrets in a text, in order and without overlaps. `field` is the name of the field that it is the value of,
   * where that may tell something.
   */
  find(text: string, field?: string): Match[] {
    const finding = this.finding(text, field);
    for (;;) {
      const next = finding.next();
      if (next.done) return next.value;
    }
  }

  /** The same, with a pause after each window of the text in which others can have their turn. */
  *finding(text: string, field?: string): Generator<undefined, Match[]> {
    if (text.length < SHORTEST || isBlob(text)) return [];
    const named = field === undefined ? undefined : namedSecret(field, text);
    const found: Ranked[] = named ? [{ ...named, rank: -1 }] : [];
    const { size, margin } = this.#window;
    if (text.length <= size + margin) return withoutOverlaps(found.concat(this.#findAll(text)));
    for (let start = 0; start < text.length; start += size) {
      const from = Math.max(0, start - margin);
      for (const match of this.#findAll(text.slice(from, start + size + margin))) {
        const at = from + match.start;
        if (at >= start && at < start + size) found.push({ ...match, start: at, end: from + match.end });
      }
      yield;
    }
    return withoutOverlaps(found);
  }

  #findAll(text: string): Ranked[] {
    const readings = [asItIs(text), ...otherReadings(text)].filter((each) => this.#mayHold(each.text));
    if (readings.length === 0) return [];
    return this.#rules.flatMap((rule, rank) =>
      readings.flatMap((reading) => {
        if (this.#signs[rank]?.test(reading.text) === false) return [];
        const found = rule.find(reading.text);
        return found.map((match) => ({ ...match, ...reading.back(match.start, match.end), rank }));
      }),
    );
  }

  #mayHold(text: string): boolean {
    return this.#anySign.test(text) || this.#signs.includes(undefined);
  }
}

/** A detector with the library's rules and ours. */
export async function loadDetector(): Promise<Detector> {
  return new Detector([...(await libraryRules()), ...ownRules()]);
}

function asItIs(text: string): Reading {
  return { text, back: (start, end) => ({ start, end }) };
}

/**
 * Whether a text is nothing but base64: images, signatures, what providers encrypt. Tokens have signs in them that
 * base64 has not, and where they have none, chance makes such letters in a few MB of it.
 */
function isBlob(text: string): boolean {
  return text.length >= BLOB && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** A match, and which of the rules found it: the first ones know best what it is. */
interface Ranked extends Match {
  rank: number;
}

/** What overlaps becomes one: of the kind of the first rule that knows it, the library's before ours. */
function withoutOverlaps(matches: readonly Ranked[]): Match[] {
  const apart: Ranked[] = [];
  for (const match of [...matches].sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (!last || match.start >= last.end) {
      apart.push({ ...match });
      continue;
    }
    last.end = Math.max(last.end, match.end);
    if (match.rank < last.rank) {
      last.kind = match.kind;
      last.name = match.name;
      last.rank = match.rank;
    }
  }
  return apart.map(({ rank: _, ...match }) => match);
}
