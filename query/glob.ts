/**
 * Globs over slashed paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `[!a-z]`, `{a,b}`.
 *
 * Node's `path.matchesGlob` and picomatch make regular expressions, whose time grows more than tenfold with each star of
 * `*a*a*a*a*b`: five stars take minutes. This follows all that a glob could still match at once, so a path costs no more
 * than its length times the glob's.
 */

/** A place in a glob: it eats a character (`eats`), or is at once (without it) wherever `next` is. */
interface State {
  /** Its number among the states. */
  n: number;
  eats?: (character: string) => boolean;
  next: State[];
}

/** All places in a glob where a path can be after some of its characters. */
interface Moment {
  eating: State[];
  /** Whether the path may end here. */
  isEnd: boolean;
  /** The moments after the characters that were met here before: paths are much alike. */
  after: Map<string, Moment>;
}

/** Globs have a few dozen moments; what made this many is begun anew, so that memory is bounded too. */
const MAX_MOMENTS = 500;

/** A test of whole paths by a glob. */
export function globTest(glob: string): (path: string) => boolean {
  const { start, end, count } = new Compiler(glob).compile();
  const known = new Map<string, Moment>();

  function momentOf(states: readonly State[]): Moment {
    const reached = new Uint8Array(count);
    const eating: State[] = [];
    const ahead = [...states];
    for (let state = ahead.pop(); state; state = ahead.pop()) {
      if (reached[state.n]) continue;
      reached[state.n] = 1;
      if (state.eats) eating.push(state);
      else ahead.push(...state.next);
    }
    const key = reached.join("");
    const moment = known.get(key) ?? { eating, isEnd: reached[end.n] === 1, after: new Map() };
    known.set(key, moment);
    return moment;
  }

  function advance(moment: Moment, character: string): Moment {
    if (known.size >= MAX_MOMENTS) {
      for (const each of known.values()) each.after.clear();
      first.after.clear(); // it is kept, though known no more
      known.clear();
    }
    const next = momentOf(moment.eating.flatMap((state) => (state.eats?.(character) ? state.next : [])));
    moment.after.set(character, next);
    return next;
  }

  const first = momentOf([start]);
  return (path) => {
    let moment = first;
    for (const character of path) {
      moment = moment.after.get(character) ?? advance(moment, character);
      if (moment.eating.length === 0 && !moment.isEnd) return false;
    }
    return moment.isEnd;
  };
}

/** A glob that means a text as it is. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[{]/g, "[$&]");
}

/** Whether a pattern is more than a text. */
export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

const inName = (character: string) => character !== "/";
const anything = () => true;

class Compiler {
  readonly #glob: readonly string[];
  readonly #groups: ReadonlySet<number>;
  #at = 0;
  #count = 0;
  /** The state after what was read: what comes next is hung from it. */
  #last = this.#state();

  constructor(glob: string) {
    this.#glob = Array.from(glob);
    this.#groups = this.#closedBraces();
  }

  compile(): { start: State; end: State; count: number } {
    const start = this.#last;
    this.#sequence(false);
    const end = this.#state();
    this.#last.next.push(end);
    return { start, end, count: this.#count };
  }

  #state(eats?: State["eats"]): State {
    return { n: this.#count++, eats, next: [] };
  }

  #then(state: State): State {
    this.#last.next.push(state);
    this.#last = state;
    return state;
  }

  /** Up to the end, or in a group to the sign that ends the alternative. */
  #sequence(inGroup: boolean): void {
    for (let sign = this.#glob[this.#at]; sign !== undefined; sign = this.#glob[this.#at]) {
      if (inGroup && (sign === "," || sign === "}")) return;
      if (sign === "*") this.#star();
      else if (sign === "?") this.#one(inName);
      else if (sign === "[") this.#class();
      else if (sign === "{") this.#group();
      else this.#one((character) => character === sign);
    }
  }

  #one(eats: State["eats"]): void {
    this.#at++;
    this.#then(this.#state(eats));
  }

  #star(): void {
    const begins = [undefined, "/", "{", ","].includes(this.#glob[this.#at - 1]);
    const from = this.#at;
    while (this.#glob[this.#at] === "*") this.#at++;
    const after = this.#glob[this.#at];
    const spans = begins && this.#at - from === 2 && [undefined, "/", ",", "}"].includes(after);
    const hub = this.#then(this.#state());
    const some = this.#state(spans && after !== "/" ? anything : inName);
    hub.next.push(some);
    if (!spans || after !== "/") {
      some.next.push(hub);
      return;
    }
    // Folders, each with its slash: none, or any number.
    this.#at++;
    const slash = this.#state((character) => character === "/");
    hub.next.push(slash);
    some.next.push(some, slash);
    slash.next.push(hub);
  }

  /** `[a-z]`; a bracket that nothing closes is only a bracket. */
  #class(): void {
    const negated = ["!", "^"].includes(this.#glob[this.#at + 1] ?? "");
    const from = this.#at + (negated ? 2 : 1);
    const end = this.#classEnd(this.#at);
    if (end < 0) {
      this.#one((character) => character === "[");
      return;
    }
    const single = new Set<string>();
    const ranges: [number, number][] = [];
    for (let n = from; n < end; n++) {
      const sign = this.#glob[n] as string;
      const last = this.#glob[n + 2] as string;
      if (this.#glob[n + 1] === "-" && n + 2 < end) {
        ranges.push([sign.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0]);
        n += 2;
      } else single.add(sign);
    }
    this.#at = end;
    this.#one((character) => {
      const code = character.codePointAt(0) ?? 0;
      const is = single.has(character) || ranges.some(([first, last]) => code >= first && code <= last);
      return is !== negated && character !== "/";
    });
  }

  /** `{a,b}`; a brace that nothing closes is only a brace. */
  #group(): void {
    if (!this.#groups.has(this.#at)) {
      this.#one((character) => character === "{");
      return;
    }
    const before = this.#last;
    const after = this.#state();
    do {
      this.#at++;
      this.#last = before;
      this.#then(this.#state());
      this.#sequence(true);
      this.#last.next.push(after);
    } while (this.#glob[this.#at] === ",");
    this.#at++;
    this.#last = after;
  }

  /** Where the class that begins at a bracket ends; the first sign in it may be a bracket itself. */
  #classEnd(start: number): number {
    const negated = ["!", "^"].includes(this.#glob[start + 1] ?? "");
    return this.#glob.indexOf("]", start + (negated ? 3 : 2));
  }

  /** The braces that begin a group: those that are closed. */
  #closedBraces(): Set<number> {
    const open: number[] = [];
    const closed = new Set<number>();
    for (let n = 0; n < this.#glob.length; n++) {
      if (this.#glob[n] === "[") n = Math.max(n, this.#classEnd(n));
      else if (this.#glob[n] === "{") open.push(n);
      else if (this.#glob[n] === "}" && open.length > 0) closed.add(open.pop() as number);
    }
    return closed;
  }
}
