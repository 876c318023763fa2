/** Spans of time, in quarters of an hour, and how blocks make them up. Pure. */

/** `from` until just before `until`. */
export interface Span {
  from: number;
  until: number;
}

/** A span in blocks of one length: 1 is a quarter. */
export interface Piece extends Span {
  width: number;
}

/** The fewest blocks that make up a span: the longest in its middle, shorter ones at its ends. `widths` begin with the shortest. */
export function pieces({ from, until }: Span, widths: readonly number[]): Piece[] {
  if (from >= until) return [];
  const width = widths.at(-1);
  if (width === undefined) return [{ width: 1, from, until }];
  const shorter = widths.slice(0, -1);
  const whole = wholeIn({ from, until }, width);
  if (!whole) return pieces({ from, until }, shorter);
  return [
    ...pieces({ from, until: whole.from }, shorter),
    { width, ...whole },
    ...pieces({ from: whole.until, until }, shorter),
  ];
}

/** The blocks of one length that lie in a span as a whole. */
export function wholeIn({ from, until }: Span, width: number): Span | undefined {
  const whole = { from: Math.ceil(from / width) * width, until: Math.floor(until / width) * width };
  return whole.from < whole.until ? whole : undefined;
}

/** A span between its cuts. */
export function splitAt({ from, until }: Span, cuts: readonly number[]): Span[] {
  const ends = [from, ...cuts, until];
  return cuts
    .map((cut, n) => ({ from: ends[n] as number, until: cut }))
    .concat({ from: ends.at(-2) as number, until });
}

/** The longest of some spans. */
export function longest(spans: readonly Span[]): Span {
  return spans.reduce((a, b) => (b.until - b.from > a.until - a.from ? b : a));
}
