/**
 * The width of characters that never combine with others, which most texts consist of. Loading string-width takes a
 * third of the time of a short command, and `Intl.Segmenter` as long again.
 */

/**
 * Ranges of characters one column wide: letters, punctuation, arrows, box drawing, list symbols, check marks, spinners. Some are
 * emoji if a variation selector follows, which must be looked up.
 */
const NARROW = [
  [0x20, 0x7e],
  [0xa1, 0xac],
  [0xae, 0x2ff],
  [0x370, 0x373],
  [0x391, 0x3a1],
  [0x3a3, 0x3ff],
  [0x400, 0x482],
  [0x48a, 0x52f],
  [0x1e00, 0x1eff],
  [0x2010, 0x2027],
  [0x2030, 0x203b],
  [0x203d, 0x2048],
  [0x204a, 0x205e],
  [0x20a0, 0x20bf],
  [0x2190, 0x2193],
  [0x2196, 0x21a8],
  [0x2200, 0x22ff],
  [0x2442, 0x2442],
  [0x2500, 0x25fa],
  [0x2605, 0x2606],
  [0x2690, 0x2691],
  [0x26a0, 0x26a0],
  [0x2713, 0x2718],
  [0x279c, 0x279c],
  [0x2800, 0x28ff],
] as const;

/** Ranges of characters two columns wide: common emoji, kana, ideographs, their punctuation, Hangul syllables. */
const WIDE = [
  [0x26a1, 0x26a1],
  [0x2705, 0x2705],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2b50, 0x2b50],
  [0x3001, 0x3029],
  [0x3041, 0x3096],
  [0x309b, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xff01, 0xff60],
] as const;

/** Emoji two columns wide that take two UTF-16 units. Not modifiers and flags, which combine with the character before. */
const EMOJI = /^(?![\p{Emoji_Modifier}\p{RI}])\p{Emoji_Presentation}$/v;

/** The width by UTF-16 unit; 0 if it must be looked up. */
let columnsOf: Uint8Array | undefined;

function table(): Uint8Array {
  const columns = new Uint8Array(0x10000);
  for (const [first, last] of NARROW) columns.fill(1, first, last + 1);
  for (const [first, last] of WIDE) columns.fill(2, first, last + 1);
  return columns;
}

/** The simple start of a text. */
export interface SimpleStart {
  /** The position of the first character that does not fit or must be looked up, else the length of the text. */
  end: number;
  /** The width of the text before `end`. */
  columns: number;
  /** Whether `end` is a character that doesn't fit. */
  isOverflow: boolean;
  /** The position to cut at to leave room for an ellipsis. */
  ellipsisPosition: number;
}

/** The longest start of a text that fits the columns and contains only simple characters. */
export function simpleStart(text: string, maxColumns: number): SimpleStart {
  columnsOf ??= table();
  let columns = 0;
  let lastFit = 0;
  for (let end = 0; end < text.length; end++) {
    const isPair = isEmojiPair(text, end);
    const wide = isPair ? 2 : (columnsOf[text.charCodeAt(end)] as number);
    if (wide === 0) return { end, columns, isOverflow: false, ellipsisPosition: lastFit };
    if (columns <= maxColumns - 1) lastFit = end;
    if (columns + wide > maxColumns) return { end, columns, isOverflow: true, ellipsisPosition: lastFit };
    columns += wide;
    if (isPair) end++;
  }
  return { end: text.length, columns, isOverflow: false, ellipsisPosition: lastFit };
}

function isEmojiPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd83c && unit <= 0xd83e && EMOJI.test(text.slice(at, at + 2));
}
