import type { FieldName } from "./fields.ts";
import { MOMENT_WORDS } from "./nearest-moment.ts";

/** The beginning of a comparison or a range of numbers: `>`, `>1.`, `$`, `1..`. */
const RANGE_START =
  /^(?:(?:[<>]=?|=)?\$?\d{0,12}\.?\d{0,12}|\$?\d{1,12}(?:\.\d{1,12})?\.{1,2}(?:\$?\d{0,12}\.?\d{0,12})?|\.\.?)$/;

/** The beginning of a date or a time. */
const NUMBERS = /^\d[\d:./t+-]*z?$/;
/** A whole date: if it is invalid, it does not exist. */
const DATE = /^\d{4}-\d{2}(?:-\d{2})?$/;

/** A number of units, and the word for them: `3da`, `2w`, `12th`. */
const COUNT = /^\d{1,6}([a-z]+)$/;

const WORDS: readonly string[] = [
  ...MOMENT_WORDS,
  "now",
  "current",
  "previous",
  "at",
  "am",
  "pm",
  "st",
  "nd",
  "rd",
  "th",
];

/** Whether an invalid value of a field may become a valid one when more of it is typed: `>` of `cost:`, `2026-0` of `since:`. */
export function isHalfTypedValue(field: FieldName, value: string): boolean {
  const text = value.trim().toLowerCase();
  if (field === "cost" || field === "messages") return RANGE_START.test(text);
  if (field !== "since" && field !== "until") return false;
  if (DATE.test(text)) return false;
  if (NUMBERS.test(text)) return true;
  const isNumber = (word: string) => /^\d{1,6}(?::\d{0,2})?$/.test(word);
  const toWord = (word: string) => COUNT.exec(word)?.[1] ?? word;
  const words = text.split(/[\s_,-]+/);
  const last = toWord(words.pop() ?? "");
  return (
    words.every((word) => isNumber(word) || WORDS.includes(toWord(word)) || isMonthStart(word)) &&
    (last === "" || isNumber(last) || WORDS.some((word) => word.startsWith(last)))
  );
}

/** `oct`, `sept`. */
function isMonthStart(word: string): boolean {
  return word.length >= 3 && WORDS.some((each) => each.startsWith(word));
}
