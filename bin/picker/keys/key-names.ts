/** Key names, in pi-tui's notation: `ctrl+s`, `shift+tab`, `pageUp`. Has no imports, so that settings load fast. */
const NAMED = [
  ...["escape", "enter", "tab", "space", "backspace", "delete", "insert"],
  ...["home", "end", "pageUp", "pageDown", "up", "down", "left", "right"],
];
const FUNCTIONS = Array.from({ length: 12 }, (_, n) => `f${n + 1}`);
const BY_NAME = new Map([...NAMED, ...FUNCTIONS].map((name) => [name.toLowerCase(), name]));
const ALIASES: Record<string, string> = { esc: "escape", return: "enter" };
const MODIFIERS = ["ctrl", "alt", "shift", "super"];
/** Keys that pi-tui does not know with modifiers. */
const BARE = new Set(["escape", ...FUNCTIONS]);
const SYMBOLS = "`-=[]\\;',./!@#$%^&*()_|~{}:<>?";

/**
 * The canonical name of a key, independent of case and the order of modifiers: `shift+n` for `N`.
 *
 * @returns undefined if there is no such key
 */
export function normalizeKey(name: string): string | undefined {
  if (/^[A-Z]$/.test(name)) return `shift+${name.toLowerCase()}`;
  const parts = name.toLowerCase().split("+");
  const last = parts.pop() ?? "";
  const key = BY_NAME.get(ALIASES[last] ?? last) ?? last;
  const isCharacter = key.length === 1 && (/[a-z0-9]/.test(key) || SYMBOLS.includes(key));
  const areModifiers = parts.every((part, n) => MODIFIERS.includes(part) && parts.indexOf(part) === n);
  if (!areModifiers || !(isCharacter || BY_NAME.has(key.toLowerCase()))) return undefined;
  if (parts.length > 0 && BARE.has(key)) return undefined;
  return [...MODIFIERS.filter((each) => parts.includes(each)), key].join("+");
}

/** Keys for which many terminals send the same bytes as for another. */
const SENT_AS: Record<string, string> = {
  "ctrl+i": "tab",
  "ctrl+m": "enter",
  "ctrl+[": "escape",
  "ctrl+_": "ctrl+-",
  "ctrl+alt+i": "alt+tab",
  "ctrl+alt+m": "alt+enter",
};

/** The key that terminals may send instead: keys with the same result cannot be bound to different actions. */
export function toSentKey(name: string): string {
  const key = normalizeKey(name) ?? name;
  return SENT_AS[key] ?? key;
}

/** Whether a key types a character. */
export function isTextKey(name: string): boolean {
  const key = (normalizeKey(name) ?? name).replace(/^shift\+/, "");
  return key === "space" || key.length === 1;
}

/** The words that key names consist of. */
export const KEY_WORDS: readonly string[] = [...MODIFIERS, ...NAMED, ...FUNCTIONS];

/** The display name of a key: `Ctrl+S`, `PageUp`, `N`. */
export function formatKey(name: string): string {
  const parts = (normalizeKey(name) ?? name).split("+");
  const key = parts.at(-1) ?? "";
  if (parts.length === 1 && key.length === 1) return key;
  if (parts.length === 2 && parts[0] === "shift" && /^[a-z]$/.test(key)) return key.toUpperCase();
  return parts
    .map((part) => (part === "escape" ? "Esc" : `${part[0]?.toUpperCase()}${part.slice(1)}`))
    .join("+");
}
