const NAMED: Record<string, string> = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  space: " ",
  backspace: "\x7f",
  "ctrl+space": "\0",
  "alt+backspace": "\x1b\x7f",
  "alt+enter": "\x1b\r",
  f1: "\x1bOP",
  f2: "\x1bOQ",
  f3: "\x1bOR",
  f4: "\x1bOS",
  f5: "\x1b[15~",
};
/** Keys with modifiers encoded as a number. */
const LETTERED: Record<string, string> = { up: "A", down: "B", right: "C", left: "D", home: "H", end: "F" };
const NUMBERED: Record<string, number> = { insert: 2, delete: 3, pageUp: 5, pageDown: 6 };
const MODIFIERS: Record<string, number> = { shift: 1, alt: 2, ctrl: 4 };

/**
 * The bytes that terminals with xterm's protocol send for a key.
 *
 * @throws Error if the key has no such bytes
 */
export function toKeyBytes(name: string): string {
  const named = NAMED[name];
  if (named !== undefined) return named;
  const parts = name.split("+");
  const key = name.endsWith("+") ? "+" : (parts.at(-1) ?? "");
  const modifiers = name === key ? [] : name.slice(0, -key.length - 1).split("+");
  const sum = modifiers.reduce((all, each) => all + (MODIFIERS[each] ?? Number.NaN), 1);
  if (LETTERED[key]) return sum === 1 ? `\x1b[${LETTERED[key]}` : `\x1b[1;${sum}${LETTERED[key]}`;
  if (NUMBERED[key]) return sum === 1 ? `\x1b[${NUMBERED[key]}~` : `\x1b[${NUMBERED[key]};${sum}~`;
  const isLetter = /^[a-z]$/.test(key);
  const has = (modifier: string) => modifiers.includes(modifier);
  if (Number.isNaN(sum) || [...key].length !== 1) throw new Error(`No such key: ${name}`);
  if ((has("ctrl") && !/^[a-z\\\]_]$/.test(key)) || (has("shift") && (!isLetter || has("ctrl")))) {
    throw new Error(`A terminal has no bytes of its own for ${name}`);
  }
  const shifted = has("shift") ? key.toUpperCase() : key;
  const controlled = has("ctrl") ? String.fromCharCode(key.charCodeAt(0) & 0x1f) : shifted;
  return has("alt") ? `\x1b${controlled}` : controlled;
}
