/**
 * What each character beyond ASCII is to the index, and how it is spelled there. FTS5's `unicode61` knows
 * letters of 2012 and folds Latin only; so all of it is decided here, and what reaches FTS5 is nothing but what
 * it either keeps as it is or splits at.
 */

/** A sign that FTS5 splits at too: it may stay. */
export const SIGN = 1;
/** What must give way to a space: FTS5 would take it for part of a word. */
export const GAP = 2;
/** A letter or digit that is its own spelling. */
export const LETTER = 3;
/** A letter or digit that is spelled differently: `É`, `ﬁ`, `Ж`. */
export const CHANGING = 4;
/** A character of a script without spaces between words. */
export const DENSE = 5;
/** What belongs to the character before it: accents, vowel signs, joiners. */
export const MARK = 6;
export const EMOJI = 7;
/** Half of a flag. */
export const FLAG = 8;

/** Kinds of the characters up to U+FFFF; 0 where `kindOf` was not asked yet, and for halves of others. */
export const KINDS = new Uint8Array(0x10000);
const ASTRAL_KINDS = new Map<number, number>();

/** The kind of the character that starts at `at`, which must not be ASCII. */
export function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0xd800 || code > 0xdfff) {
    if (KINDS[code] === 0) KINDS[code] = learn(code);
    return KINDS[code] as number;
  }
  const point = text.codePointAt(at) as number;
  if (point < 0x10000) return GAP; // half a pair
  const known = ASTRAL_KINDS.get(point);
  if (known !== undefined) return known;
  const kind = learn(point);
  ASTRAL_KINDS.set(point, kind);
  return kind;
}

/** UTF-16 units of the character at `at`. */
export function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

/** Chinese, Japanese and Korean, and the scripts of South-East Asia that put spaces between sentences only. */
const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]/u;
const WORD = /[\p{L}\p{N}]/u;
/**
 * Besides marks and what is invisible (joiners, soft hyphens, variation selectors): tatweel, which only lengthens
 * a word, vowels that Thai and Lao count among letters, half-width voicing marks, and jamo that end a syllable.
 */
const JOINS =
  /[\p{M}\p{Default_Ignorable_Code_Point}\u0640\u0e33\u0eb3\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7ff]/u;
/**
 * Of the older symbols only hearts, warnings and check marks: ©, ™, arrows and triangles fill the output of
 * tools, and nobody means them as words.
 */
const PICTURE = /\p{Emoji_Presentation}|(?=[\u2600-\u27a0\u{1f000}-\u{1ffff}])\p{Extended_Pictographic}/u;
const HALF_FLAG = /\p{Regional_Indicator}/u;
const SKIN_TONE = /\p{Emoji_Modifier}/u;
/** Blocks in which FTS5 knows every sign. Beyond, signs younger than its tables would be words. */
const SIGNS =
  /[\u0080-\u036f\u2000-\u2064\u20a0-\u20b9\u2100-\u2189\u2190-\u23f3\u2400-\u2426\u2500-\u26ff\u2701-\u2b4c\u3000-\u303f\uff01-\uff65]/;
const ZERO_WIDTH_SPACE = 0x200b;

function learn(point: number): number {
  const character = String.fromCodePoint(point);
  if (SKIN_TONE.test(character)) return GAP;
  if (HALF_FLAG.test(character)) return FLAG;
  if (PICTURE.test(character)) return EMOJI;
  if (point === ZERO_WIDTH_SPACE) return SIGN;
  if (JOINS.test(character)) return MARK;
  if (!WORD.test(character)) return SIGNS.test(character) ? SIGN : GAP;
  if (NO_SPACES.test(character)) return DENSE;
  return fold(character) === character ? LETTER : CHANGING;
}

/**
 * Stands for a character that FTS5 splits at but that is a word, or part of one, here: its neighbour in a plane
 * of private use, which FTS5 keeps. Nothing else gets there, since private use in the text itself is a `GAP`.
 */
export function privately(point: number): string {
  return String.fromCodePoint(0xf0000 + (point & 0xffff));
}

const folds = new Map<string, string>();
/** Characters with marks come in any number of ways; the cache must not grow with a hostile text. */
const MAX_FOLDS = 20_000;

/** Of characters up to U+FFFF without marks. */
const SINGLE_FOLDS: (string | undefined)[] = new Array(0x10000);

/** How the character that starts at `at` is spelled in the index, with the marks behind it. */
export function foldAt(text: string, at: number, end: number): string {
  if (end - at > 1) return fold(text.slice(at, end));
  const code = text.charCodeAt(at);
  const known = SINGLE_FOLDS[code];
  if (known !== undefined) return known;
  const folded = fold(text.slice(at, end));
  SINGLE_FOLDS[code] = folded;
  return folded;
}

/** How a character, with the marks behind it, is spelled in the index: small, without accents, composed. */
export function fold(cluster: string): string {
  const known = folds.get(cluster);
  if (known !== undefined) return known;
  const folded = spell(cluster);
  if (folds.size >= MAX_FOLDS) folds.clear();
  folds.set(cluster, folded);
  return folded;
}

/** Marks that are no accent but part of the spelling where the script has them: a vowel, say. */
const OPTIONAL_MARKS =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]/u;
/** Marks of no script: accents, and what they leave when nothing composes with them. */
const ACCENT = /[\p{Script=Inherited}\p{Default_Ignorable_Code_Point}\u0640]/u;
/** Letters that people write by others, though Unicode doesn't take them apart; in Cyrillic й, ї and ў stay. */
const ALSO_WRITTEN: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ς: "σ",
  ё: "е",
  ѐ: "е",
  ѝ: "и",
};
/** Letters that FTS5 has for marks. */
const MARKS_OF_OLD = /[\u19b0-\u19c9\u1cf2\u1cf3]/;

function spell(cluster: string): string {
  const plain = cluster.normalize("NFKC").toLowerCase();
  // NFKC spells some letters with spaces or signs, ﷺ and ½: those stay what they are.
  const letters = /^[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]+$/u.test(plain)
    ? plain
    : cluster.toLowerCase();
  const optional = OPTIONAL_MARKS.test(letters);
  const composed = optional ? letters.normalize("NFD").replace(/\p{M}/gu, "") : letters.normalize("NFC");
  return Array.from(composed, spellCharacter).join("");
}

function spellCharacter(character: string): string {
  const written = ALSO_WRITTEN[character];
  if (written !== undefined) return written;
  if (ACCENT.test(character)) return "";
  if (!/\p{M}/u.test(character) && !MARKS_OF_OLD.test(character)) return character;
  // Marks beyond U+FFFF belong to scripts that few write; without them their words are found still.
  return character.length === 1 ? privately(character.charCodeAt(0)) : "";
}
