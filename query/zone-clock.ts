/** The UTC offsets of a time zone, and when they change, from Intl. */

export const DAY_MS = 86_400_000;
/** The last moment that a Date can represent. The first is its negative. */
export const MAX_DATE_MS = 8.64e15;
/** Size of the caches, in days: more than 200 years. Limits the memory of a server with requests for any year. */
const MAX_CACHED_DAYS = 100_000;

/** A time range with a constant offset from UTC, in milliseconds. Local time is the moment plus `offset`. */
export interface OffsetRange {
  from: number;
  until: number;
  offset: number;
}

/**
 * Converts between moments and local times. Intl is slow, so the offset is computed at the start of each UTC day, and a
 * change is searched for only between days with different offsets. No zone has ever changed its clocks twice within a day:
 * the shortest range with one offset is four days (Freetown in 1939).
 */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  /** Offset at the start of a UTC day, by days since 1970. */
  readonly #offsets = new Map<number, number>();
  /** Moment of the change on a UTC day, by days since 1970. */
  readonly #changes = new Map<number, number>();
  /** The previous result, which often contains the next moment too. */
  #last: OffsetRange = { from: 0, until: 0, offset: 0 };

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset", hour: "numeric" });
  }

  /** The time range with a constant offset that contains a moment, cut to the moment's UTC day. */
  offsetRangeAt(moment: number): OffsetRange {
    if (moment < this.#last.from || moment >= this.#last.until) this.#last = this.#findStretch(moment);
    return this.#last;
  }

  /**
   * The first moment at which the clock shows a local time or a later one; the moment of the change if the local time is
   * skipped. `local` is the local time read as UTC. Clamped to the range of Date.
   */
  toMoment(local: number): number {
    let stretch = this.offsetRangeAt(Math.max(local - DAY_MS, -MAX_DATE_MS)); // no offset reaches a day
    while (true) {
      const moment = Math.max(stretch.from, local - stretch.offset);
      if (moment < stretch.until || stretch.until > MAX_DATE_MS) return Math.min(moment, MAX_DATE_MS);
      stretch = this.offsetRangeAt(stretch.until);
    }
  }

  /** Whether a part of a local time range occurs twice because the clock is set back. */
  repeats(localFrom: number, localUntil: number): boolean {
    let before = this.offsetRangeAt(localFrom - DAY_MS);
    while (before.until < localUntil + DAY_MS) {
      const after = this.offsetRangeAt(before.until);
      const isSetBack = after.offset < before.offset; // the difference repeats
      if (isSetBack && after.from + after.offset < localUntil && before.until + before.offset > localFrom) {
        return true;
      }
      before = after;
    }
    return false;
  }

  /** Whether the offset is constant on a local day (counted from 1970), the day before and the day after. */
  hasConstantOffset(localDay: number): boolean {
    const offset = this.#offsetOfDay(localDay - 1);
    for (let day = localDay; day <= localDay + 2; day++) {
      if (this.#offsetOfDay(day) !== offset) return false;
    }
    return true;
  }

  #findStretch(moment: number): OffsetRange {
    const day = Math.floor(moment / DAY_MS);
    const from = day * DAY_MS;
    const until = from + DAY_MS;
    const before = this.#offsetOfDay(day);
    const after = this.#offsetOfDay(day + 1);
    if (before === after) return { from, until, offset: before };
    const change = this.#changeOn(day, before);
    return moment < change ? { from, until: change, offset: before } : { from: change, until, offset: after };
  }

  #offsetOfDay(day: number): number {
    let offset = this.#offsets.get(day);
    if (offset === undefined) {
      if (this.#offsets.size >= MAX_CACHED_DAYS) this.#offsets.clear();
      offset = this.#offsetAt(day * DAY_MS);
      this.#offsets.set(day, offset);
    }
    return offset;
  }

  #changeOn(day: number, before: number): number {
    let change = this.#changes.get(day);
    if (change === undefined) {
      let from = day * DAY_MS;
      change = from + DAY_MS;
      while (change - from > 1) {
        const middle = Math.floor((from + change) / 2);
        if (this.#offsetAt(middle) === before) from = middle;
        else change = middle;
      }
      if (this.#changes.size >= MAX_CACHED_DAYS) this.#changes.clear();
      this.#changes.set(day, change);
    }
    return change;
  }

  #offsetAt(moment: number): number {
    const text = this.#format.format(Math.max(-MAX_DATE_MS, Math.min(moment, MAX_DATE_MS)));
    // "9 AM GMT+05:45", "9 AM GMT-00:44:30"; UTC may be just "GMT"
    const [, sign, hours, minutes, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
    if (sign === undefined) return 0;
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === "-" ? -offset : offset;
  }
}
