/**
 * How wide characters are that never join others, as most are: to load what knows all of them takes a third of the time
 * that a short command does, and `Intl.Segmenter` as long again.
 */

/** First and last of characters that take one column each: letters, punctuation, arrows, lines, signs of the table. */
const NARROW = [
  [0x20, 0x7e],
  [0xa1, 0xac],
  [0xae, 0x2ff],
  [0x370, 0x373],
  [0x391, 0x3a1],
  [0x3a3, 0x3ff],
  [0x400, 0x482],
  [0x48a, 0x52f],
  [0x2010, 0x2027],
  [0x2030, 0x203b],
  [0x203d, 0x2048],
  [0x204a, 0x205e],
  [0x20a0, 0x20bf],
  [0x2190, 0x2193],
  [0x2196, 0x21a8],
  [0x2500, 0x25a9],
  [0x25cf, 0x25fa],
  [0x2605, 0x2606],
] as const;

/** The same of two columns: kana, ideographs, their punctuation, Hangul's syllables. */
const WIDE = [
  [0x3001, 0x3029],
  [0x3041, 0x3096],
  [0x309b, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xff01, 0xff60],
] as const;

/** By UTF-16 unit: 0 for what must be looked up. */
let columnsOf: Uint8Array | undefined;

function table(): Uint8Array {
  const columns = new Uint8Array(0x10000);
  for (const [first, last] of NARROW) columns.fill(1, first, last + 1);
  for (const [first, last] of WIDE) columns.fill(2, first, last + 1);
  return columns;
}

/** How a text begins. */
export interface SimpleStart {
  /** Where its first character stands that does not fit, or must be looked up; its length where there is none. */
  end: number;
  /** What comes before that takes so many columns. */
  columns: number;
  /** Whether it ended for want of room: then all before is known. */
  isFull: boolean;
  /** Where to cut so that there is room for an ellipsis. */
  lastFit: number;
}

/** The beginning of a text that takes at most so many columns, and holds nothing that must be looked up. */
export function simpleStart(text: string, most: number): SimpleStart {
  columnsOf ??= table();
  let columns = 0;
  let lastFit = 0;
  for (let end = 0; end < text.length; end++) {
    const wide = columnsOf[text.charCodeAt(end)] as number;
    if (wide === 0) return { end, columns, isFull: false, lastFit };
    if (columns <= most - 1) lastFit = end;
    if (columns + wide > most) return { end, columns, isFull: true, lastFit };
    columns += wide;
  }
  return { end: text.length, columns, isFull: false, lastFit };
}
