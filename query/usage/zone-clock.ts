/** The clock of a time zone: how far it is from UTC, and when it is changed. By Intl alone. */

export const DAY_MS = 86_400_000;
/** The last moment that a Date can hold; minus this is the first. */
export const LAST_MOMENT = 8.64e15;
/** Days that are remembered, more than two hundred years: a server that is asked of all ages must not grow. */
const MOST_DAYS = 100_000;

/** A time in which a clock is not changed. Moments in it plus `offset` are what the clock shows, in milliseconds. */
export interface Stretch {
  from: number;
  until: number;
  offset: number;
}

/**
 * Intl is slow, so it is asked once a UTC day, at its begin; only where two days differ the change is sought. No clock
 * was ever changed and changed back within a day: the shortest stretch of all zones is four days (Freetown in 1939).
 */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  /** UTC days since 1970, and the offset at their begin. */
  readonly #offsets = new Map<number, number>();
  /** UTC days on which the clock is changed, and the moment. */
  readonly #changes = new Map<number, number>();
  /** The last answer: mostly the next question is about it too. */
  #last: Stretch = { from: 0, until: 0, offset: 0 };

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset", hour: "numeric" });
  }

  /** The stretch that a moment is in, or what of it is in the moment's UTC day. */
  stretchAt(moment: number): Stretch {
    if (moment < this.#last.from || moment >= this.#last.until) this.#last = this.#findStretch(moment);
    return this.#last;
  }

  /**
   * The first moment at which the clock shows a time or a later one: where the time is skipped, the moment of the
   * change. `local` is what the clock shows as if it were UTC. What no Date can hold becomes the first or last moment.
   */
  firstMoment(local: number): number {
    let stretch = this.stretchAt(Math.max(local - DAY_MS, -LAST_MOMENT)); // no clock is a day from UTC
    while (true) {
      const moment = Math.max(stretch.from, local - stretch.offset);
      if (moment < stretch.until || stretch.until > LAST_MOMENT) return Math.min(moment, LAST_MOMENT);
      stretch = this.stretchAt(stretch.until);
    }
  }

  /** Whether the clock goes through a local time, or a part of it, twice, since it is set back then. */
  repeats(localFrom: number, localUntil: number): boolean {
    let before = this.stretchAt(localFrom - DAY_MS);
    while (before.until < localUntil + DAY_MS) {
      const after = this.stretchAt(before.until);
      const isSetBack = after.offset < before.offset; // then what is between the two is gone through again
      if (isSetBack && after.from + after.offset < localUntil && before.until + before.offset > localFrom) {
        return true;
      }
      before = after;
    }
    return false;
  }

  /** Whether the clock is not changed on a local day (counted from 1970), the one before and the one after. */
  isCalm(localDay: number): boolean {
    const offset = this.#offsetOfDay(localDay - 1);
    for (let day = localDay; day <= localDay + 2; day++) {
      if (this.#offsetOfDay(day) !== offset) return false;
    }
    return true;
  }

  #findStretch(moment: number): Stretch {
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
      if (this.#offsets.size >= MOST_DAYS) this.#offsets.clear();
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
      if (this.#changes.size >= MOST_DAYS) this.#changes.clear();
      this.#changes.set(day, change);
    }
    return change;
  }

  #offsetAt(moment: number): number {
    const text = this.#format.format(Math.max(-LAST_MOMENT, Math.min(moment, LAST_MOMENT)));
    // "9 AM GMT+05:45", "9 AM GMT-00:44:30"; of UTC, "GMT" alone is allowed
    const [, sign, hours, minutes, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
    if (sign === undefined) return 0;
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === "-" ? -offset : offset;
  }
}
