/**
 * Classifies and folds characters beyond ASCII. FTS5's `unicode61` has the letters of 2012 and folds Latin only, so both
 * are decided here, and FTS5 gets only characters that it keeps unchanged or splits at.
 */

/** A symbol that FTS5 splits at too: it is copied. */
export const SIGN = 1;
/** Replaced by a space: FTS5 would treat it as part of a word. */
export const GAP = 2;
/** A letter or digit that folding doesn't change. */
export const LETTER = 3;
/** A letter or digit that folding changes: `É`, `ﬁ`, `Ж`. */
export const FOLDED_LETTER = 4;
/** A character of a script without spaces between words. */
export const UNSPACED = 5;
/** Belongs to the character before it: accents, vowel signs, joiners. */
export const MARK = 6;
export const EMOJI = 7;
/** Half of a flag. */
export const FLAG = 8;

/** Cached kinds of the characters up to U+FFFF; 0 if not yet known, and for surrogates. */
export const CHARACTER_KINDS = new Uint8Array(0x10000);
const ASTRAL_KINDS = new Map<number, number>();

/** The kind of the character that starts at `at`, which must not be ASCII. */
export function getCharacterKind(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0xd800 || code > 0xdfff) {
    if (CHARACTER_KINDS[code] === 0) CHARACTER_KINDS[code] = classify(code);
    return CHARACTER_KINDS[code] as number;
  }
  const point = text.codePointAt(at) as number;
  if (point < 0x10000) return GAP; // a lone surrogate
  const known = ASTRAL_KINDS.get(point);
  if (known !== undefined) return known;
  const kind = classify(point);
  ASTRAL_KINDS.set(point, kind);
  return kind;
}

/** The length of the character at `at`, in UTF-16 units. */
export function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

/** Chinese, Japanese and Korean, and South-East Asian scripts with spaces only between sentences. */
const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]/u;
const WORD = /[\p{L}\p{N}]/u;
/**
 * Besides marks and invisible characters (joiners, soft hyphens, variation selectors): tatweel, which only lengthens
 * a word, Thai and Lao vowels that Unicode classifies as letters, half-width voicing marks, and jamo that end a syllable.
 */
const JOINS =
  /[\p{M}\p{Default_Ignorable_Code_Point}\u0640\u0e33\u0eb3\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7ff]/u;
/**
 * Of the older symbols only hearts, warnings and check marks: ©, ™, arrows and triangles are common in tool output
 * and not searched for.
 */
const PICTURE = /\p{Emoji_Presentation}|(?=[\u2600-\u27a0\u{1f000}-\u{1ffff}])\p{Extended_Pictographic}/u;
const HALF_FLAG = /\p{Regional_Indicator}/u;
const SKIN_TONE = /\p{Emoji_Modifier}/u;
/** Blocks in which FTS5 splits at every symbol. Elsewhere it treats symbols newer than its tables as letters. */
const SIGNS =
  /[\u0080-\u036f\u2000-\u2064\u20a0-\u20b9\u2100-\u2189\u2190-\u23f3\u2400-\u2426\u2500-\u26ff\u2701-\u2b4c\u3000-\u303f\uff01-\uff65]/;
const ZERO_WIDTH_SPACE = 0x200b;

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (SKIN_TONE.test(character)) return GAP;
  if (HALF_FLAG.test(character)) return FLAG;
  if (PICTURE.test(character)) return EMOJI;
  if (point === ZERO_WIDTH_SPACE) return SIGN;
  if (JOINS.test(character)) return MARK;
  if (!WORD.test(character)) return SIGNS.test(character) ? SIGN : GAP;
  if (NO_SPACES.test(character)) return UNSPACED;
  return foldCharacter(character) === character ? LETTER : FOLDED_LETTER;
}

/**
 * Maps a character that FTS5 splits at, but that is part of a word here, into a private-use plane, which FTS5 keeps.
 * Nothing else gets there, because private-use characters of the text are `GAP`s.
 */
export function toPrivateUse(point: number): string {
  return String.fromCodePoint(0xf0000 + (point & 0xffff));
}

const folds = new Map<string, string>();
/** Limits the cache: there is no end of combinations of characters and marks, and a text may be hostile. */
const MAX_FOLDS = 20_000;

/** The folds of characters up to U+FFFF without marks. */
const SINGLE_FOLDS: (string | undefined)[] = new Array(0x10000);

/** Folds the character from `at` to `end`, including the marks after it. */
export function foldCharacterAt(text: string, at: number, end: number): string {
  if (end - at > 1) return foldCharacter(text.slice(at, end));
  const code = text.charCodeAt(at);
  const known = SINGLE_FOLDS[code];
  if (known !== undefined) return known;
  const folded = foldCharacter(text.slice(at, end));
  SINGLE_FOLDS[code] = folded;
  return folded;
}

/** Folds a character with its marks: lower case, without accents, composed. */
function foldCharacter(cluster: string): string {
  const known = folds.get(cluster);
  if (known !== undefined) return known;
  const folded = foldUncached(cluster);
  if (folds.size >= MAX_FOLDS) folds.clear();
  folds.set(cluster, folded);
  return folded;
}

/** Scripts in which marks are optional. In others they may be part of the spelling, such as vowels. */
const OPTIONAL_MARKS =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]/u;
/** Marks that belong to no script: accents, and those left over because nothing composes with them. */
const ACCENT = /[\p{Script=Inherited}\p{Default_Ignorable_Code_Point}\u0640]/u;
/** Common substitutes for letters that Unicode doesn't decompose. The Cyrillic й, ї and ў are not folded. */
const SUBSTITUTES: Record<string, string> = {
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
/** Letters that FTS5's older tables classify as marks. */
const FORMER_MARKS = /[\u19b0-\u19c9\u1cf2\u1cf3]/;

function foldUncached(cluster: string): string {
  const plain = cluster.normalize("NFKC").toLowerCase();
  // NFKC decomposes some characters into spaces or symbols, ﷺ and ½: those are not decomposed.
  const letters = /^[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]+$/u.test(plain)
    ? plain
    : cluster.toLowerCase();
  const optional = OPTIONAL_MARKS.test(letters);
  const composed = optional ? letters.normalize("NFD").replace(/\p{M}/gu, "") : letters.normalize("NFC");
  return Array.from(composed, foldCodePoint).join("");
}

function foldCodePoint(character: string): string {
  const substitute = SUBSTITUTES[character];
  if (substitute !== undefined) return substitute;
  if (ACCENT.test(character)) return "";
  if (!/\p{M}/u.test(character) && !FORMER_MARKS.test(character)) return character;
  // Marks beyond U+FFFF belong to rare scripts, and words are still found without them.
  return character.length === 1 ? toPrivateUse(character.charCodeAt(0)) : "";
}
