import { nearestWord } from "../../../library/internal.ts";
import { cut } from "../../format/text.ts";
import { ACTIONS, type ActionId, MODES, type Mode, type OwnKeys } from "./actions.ts";
import { KEY_WORDS, normalKey, readableKey, sentAs } from "./key-names.ts";

/** Tells what is wrong, and where: of a table, or of what it says by a name. */
export type Complain = (what: string, table: string, name?: string) => void;

/**
 * The tables of `config.toml` with keys. `[keys]` is for the list, and for what is in the same row of the table of keys
 * besides; the others are for their place alone, and have the last word there.
 */
export const KEY_TABLES: Readonly<Record<string, Mode>> = {
  "preview-keys": "preview",
  "tree-keys": "tree",
  "facets-keys": "facets",
  keys: "list",
};

/** The keys that a user gave, of all tables together. What makes no sense is complained of, and left out. */
export function ownKeys(
  tables: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  complain: Complain,
): OwnKeys {
  const own: OwnKeys = {};
  const taken = new Map<Mode, Map<string, ActionId>>(MODES.map((mode) => [mode, new Map()]));
  for (const [table, mode] of Object.entries(KEY_TABLES)) {
    const here = ACTIONS.filter(({ where }) => where.includes(mode));
    for (const [name, value] of Object.entries(tables.get(table) ?? {})) {
      const say = (what: string) => complain(what, table, name);
      const found = here.find(({ action }) => action === name);
      if (!found) {
        say(`[${table}] has no ${name}.${didYouMean(nearestWord(name, names(here)))}`);
        continue;
      }
      const keys = keysIn(name, value, say);
      if (!keys) continue;
      for (const place of table === "keys" ? found.where : [mode]) {
        if (own[place]?.[found.action]) continue; // its own table has said it
        const free = keys.filter((key) => isFree(key, found.action, place, taken, say));
        if (free.length > 0 || keys.length === 0) own[place] = { ...own[place], [found.action]: free };
      }
    }
  }
  return own;
}

const names = (actions: readonly { action: ActionId }[]): string[] => actions.map(({ action }) => action);

/** Keys as they are always called; undefined when nothing that was said is one. */
function keysIn(name: string, value: unknown, say: (what: string) => void): string[] | undefined {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const keys = given.flatMap((each) => {
    if (typeof each !== "string") {
      say(`${name} is a key such as "ctrl+x", or a list of keys, or [] for none.`);
      return [];
    }
    const key = normalKey(each);
    if (key === undefined) say(`${cut(JSON.stringify(each), 40)} is no key.${didYouMean(meantKey(each))}`);
    return key ?? [];
  });
  return keys.length > 0 || given.length === 0 ? keys : undefined;
}

/** Whether a key can be had there, which it is not for another then. */
function isFree(
  key: string,
  action: ActionId,
  mode: Mode,
  taken: ReadonlyMap<Mode, Map<string, ActionId>>,
  say: (what: string) => void,
): boolean {
  if (mode === "list" && /^(?:shift\+)?(?:[a-z0-9]|space)$/.test(key)) {
    say(`${readableKey(key)} is typed into the query, so it cannot be ${action} in the list.`);
    return false;
  }
  const sent = sentAs(key);
  const other = sent === "ctrl+c" ? "cancel" : (taken.get(mode)?.get(sent) ?? action);
  if (other === action) {
    taken.get(mode)?.set(sent, action);
    return true;
  }
  const same = sent === key ? "" : `, the same as ${readableKey(sent)} to many terminals,`;
  const place = mode === "list" ? "" : ` in the ${mode}`;
  say(`${readableKey(key)}${same} is ${other}${place} already, so it cannot be ${action}.`);
  return false;
}

/** Each word of a key's name may be mistyped by itself. */
function meantKey(name: string): string | undefined {
  const words = name
    .split(/[+-]/)
    .map((word) => (word.length < 2 ? word : (nearestWord(word, KEY_WORDS) ?? word)));
  const key = normalKey(words.join("+"));
  return key && JSON.stringify(key);
}

const didYouMean = (word: string | undefined): string => (word === undefined ? "" : ` Did you mean ${word}?`);
