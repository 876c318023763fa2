/** Where a line of Chinese or Japanese may break. `Intl.Segmenter` would know too, but takes as long to load as a short command. */

/** Characters of Chinese and Japanese, which have no spaces between words. */
const CJK =
  "\\u3000-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff01-\\uff60\\u{20000}-\\u{3ffff}";
/** What no line begins with: closing punctuation, small kana, marks that combine with the character before them. */
const CLOSING =
  "-,.!?:;)\\]}%”’…、。，．！？：；）］｝」』】〉》〕・ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ\\u3099\\u309a\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";
/** What no line ends with. */
const OPENING = "(\\[{“‘（［｛「『【〈《〔";
const HAS_CJK = new RegExp(`[${CJK}]`, "u");
const BREAK = new RegExp(`(?<![${OPENING}])(?![${CLOSING}])(?:(?<=[${CJK}])|(?=[${CJK}]))`, "u");
/** Addresses and paths stay whole, so that they can be copied. */
const ADDRESS = /^(?:\w+:\/\/|~?\/|\.{1,2}\/)/;

/** The parts of a word between which a line may break. */
export function divideWord(word: string): string[] {
  return HAS_CJK.test(word) && !ADDRESS.test(word) ? word.split(BREAK) : [word];
}
