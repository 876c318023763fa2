/** Distinguishes keys from words, paths and code if only a value's name suggests that it is a key. */

const PLACEHOLDER =
  /example|sample|placeholder|change.?me|dummy|redact|insert|replace|password|passwd|username|x{4}|\*{3}|\.{3}|…|^[$%<{[]|\$\{|\{\{|%\(|process\.env|import\.meta|os\.environ|getenv|(?<![A-Za-z])(?:your|fake|mask|todo)(?![a-z])/i;

/** Passwords used in documentation. */
const EXAMPLE_PASSWORD = /^(?:pass|pwd|secret|token|test|foo|bar|baz|abc|xyz|hunter2|(?:abc)?123\d*)$/i;

/** Whether a value is a placeholder or refers to a value defined elsewhere. */
export function isPlaceholder(value: string): boolean {
  if (EXAMPLE_PASSWORD.test(value)) return true;
  return PLACEHOLDER.test(value) || /^\$?[A-Z]+(?:_[A-Z0-9]+)*$|^(.)\1*$|\{[^}]{1,50}\}/.test(value);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** `a.b.c`, `a::b`, `src/a.ts`, `1.2.3-rc1`: names, paths, versions. */
const CODE =
  /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$|^\.{0,2}\/|^[A-Za-z]:\\|:\/\/|^v?\d+\.\d+/;
const WORDS = /[A-Z]?[a-z]{4,}|[A-Z]{5,}/g;

/** Minimum entropy of a random key, in bits per character. English words have less. */
const MIN_ENTROPY_BITS = 3;

/** Whether a value looks randomly generated. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || isPlaceholder(value) || UUID.test(value) || CODE.test(value)) return false;
  const digits = value.replace(/\D/g, "").length;
  if (digits < 2 || !/[A-Za-z]/.test(value)) return false;
  if (value.replace(WORDS, "").length < value.length * 0.35) return false;
  return entropy(value) >= MIN_ENTROPY_BITS;
}

/** Shannon entropy in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
