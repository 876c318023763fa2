import { decodeVariants, type TextVariant } from "./escapes.ts";
import { createPidexRules, matchNamedField } from "./pidex-rules.ts";
import { loadSecretlintRules } from "./secretlint-rules.ts";
import type { Match, TextRule } from "./text-rule.ts";

/**
 * Texts are searched in windows of `size` UTF-16 units, each with `margin` units of context on either side. No rule
 * matches more than the margin, and a text crafted to make a rule slow can slow it only within one window.
 */
const WINDOW = { size: 1 << 20, margin: 16 << 10 };

/** Shorter texts contain no recognizable secret, in UTF-16 units. */
const MIN_TEXT_LENGTH = 8;

/** Longer base64 is an image or a signature, in UTF-16 units. No rule applies to the middle of one. */
const MIN_BLOB_LENGTH = 512;

/** Finds secrets in texts. Created by `loadDetector`. */
export class Detector {
  readonly #rules: readonly TextRule[];
  /** Matches every text in which a rule with a `marker` can match. */
  readonly #anyMarker: RegExp;
  readonly #markers: readonly (RegExp | undefined)[];
  readonly #window: typeof WINDOW;

  constructor(rules: readonly TextRule[], window = WINDOW) {
    this.#rules = rules;
    this.#anyMarker = new RegExp(rules.flatMap(({ marker }) => marker ?? []).join("|"));
    this.#markers = rules.map(({ marker }) => (marker === undefined ? undefined : new RegExp(marker)));
    this.#window = window;
  }

  /** All kinds of secrets it detects, sorted. */
  get kinds(): string[] {
    return [...new Set(this.#rules.map(({ kind }) => kind))].sort();
  }

  /**
   * The secrets in a text, in order and without overlaps. `field` is the name of the JSON field that contains the
   * text, if any.
   */
  find(text: string, field?: string): Match[] {
    const windows = this.findInWindows(text, field);
    for (;;) {
      const next = windows.next();
      if (next.done) return next.value;
    }
  }

  /** Same as `find`, but yields after each window so that the caller can let other work run. */
  *findInWindows(text: string, field?: string): Generator<undefined, Match[]> {
    if (text.length < MIN_TEXT_LENGTH || isBlob(text)) return [];
    const named = field === undefined ? undefined : matchNamedField(field, text);
    const found: Ranked[] = named ? [{ ...named, rank: -1 }] : [];
    const { size, margin } = this.#window;
    if (text.length <= size + margin) return withoutOverlaps(found.concat(this.#findAll(text)));
    for (let start = 0; start < text.length; start += size) {
      const from = Math.max(0, start - margin);
      for (const match of this.#findAll(text.slice(from, start + size + margin))) {
        const offset = from + match.start;
        if (offset >= start && offset < start + size) {
          found.push({ ...match, start: offset, end: from + match.end });
        }
      }
      yield;
    }
    return withoutOverlaps(found);
  }

  #findAll(text: string): Ranked[] {
    const readings = [unchanged(text), ...decodeVariants(text)].filter((each) => this.#mayMatch(each.text));
    if (readings.length === 0) return [];
    return this.#rules.flatMap((rule, rank) =>
      readings.flatMap((reading) => {
        if (this.#markers[rank]?.test(reading.text) === false) return [];
        const found = rule.find(reading.text);
        return found.map((match) => ({ ...match, ...reading.toSourceRange(match.start, match.end), rank }));
      }),
    );
  }

  #mayMatch(text: string): boolean {
    return this.#anyMarker.test(text) || this.#markers.includes(undefined);
  }
}

/** Creates a detector with secretlint's rules and our own. */
export async function loadDetector(): Promise<Detector> {
  return new Detector([...(await loadSecretlintRules()), ...createPidexRules()]);
}

function unchanged(text: string): TextVariant {
  return { text, toSourceRange: (start, end) => ({ start, end }) };
}

/**
 * Whether a text is only base64: an image, a signature, content encrypted by a provider. Most tokens contain characters
 * that base64 lacks; the prefixes of the others occur by chance in a few MB of it.
 */
function isBlob(text: string): boolean {
  return text.length >= MIN_BLOB_LENGTH && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** A match and the index of its rule. Lower ranks are more specific. */
interface Ranked extends Match {
  rank: number;
}

/** Merges overlapping matches. The merged match has the kind of its lowest rank: secretlint's rules come before ours. */
function withoutOverlaps(matches: readonly Ranked[]): Match[] {
  const merged: Ranked[] = [];
  for (const match of [...matches].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) {
      merged.push({ ...match });
      continue;
    }
    last.end = Math.max(last.end, match.end);
    if (match.rank < last.rank) {
      last.kind = match.kind;
      last.name = match.name;
      last.rank = match.rank;
    }
  }
  return merged.map(({ rank: _, ...match }) => match);
}
