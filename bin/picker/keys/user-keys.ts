import { findNearestWord } from "../../../library/internal.ts";
import { truncate } from "../../format/text.ts";
import { ACTIONS, type ActionId, isTyping, MODES, type Mode, type UserKeys } from "./actions.ts";
import { formatKey, KEY_WORDS, normalizeKey, toSentKey } from "./key-names.ts";

/** Reports an invalid table, or an invalid setting `name` in it. */
export type ReportProblem = (message: string, table: string, name?: string) => void;

/**
 * The tables of `config.toml` that bind keys, and their modes. `[keys]` applies to the list, and to other modes in the same row of the table
 * of keys; the others apply to one mode and take precedence there.
 */
export const KEY_TABLES: Readonly<Record<string, Mode>> = {
  "preview-keys": "preview",
  "tree-keys": "tree",
  "facets-keys": "facets",
  "palette-keys": "palette",
  keys: "list",
};

/** Reads the user's key bindings from all tables. Invalid ones are reported and ignored. */
export function parseUserKeys(
  tables: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  complain: ReportProblem,
): UserKeys {
  const own: UserKeys = {};
  const taken = new Map<Mode, Map<string, ActionId>>(MODES.map((mode) => [mode, new Map()]));
  for (const [table, mode] of Object.entries(KEY_TABLES)) {
    const here = ACTIONS.filter(({ where }) => where.includes(mode));
    for (const [name, value] of Object.entries(tables.get(table) ?? {})) {
      const report = (message: string) => complain(message, table, name);
      const found = here.find(({ action }) => action === name);
      if (!found) {
        report(`unknown action ${name} in [${table}]${didYouMean(findNearestWord(name, names(here)))}`);
        continue;
      }
      const keys = parseKeys(name, value, report);
      if (!keys) continue;
      const refused = new Set<string>(); // a key is reported once, not for each mode
      for (const target of table === "keys" ? found.where : [mode]) {
        if (own[target]?.[found.action]) continue; // set by the mode's own table
        const free = keys.filter((key) =>
          isFree(key, found.action, target, taken, (message) => {
            if (!refused.has(key)) report(message);
            refused.add(key);
          }),
        );
        if (free.length > 0 || keys.length === 0) own[target] = { ...own[target], [found.action]: free };
      }
    }
  }
  return own;
}

const names = (actions: readonly { action: ActionId }[]): string[] => actions.map(({ action }) => action);

/** The canonical names of keys; undefined if none is valid. */
function parseKeys(name: string, value: unknown, report: (message: string) => void): string[] | undefined {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const keys = values.flatMap((each) => {
    if (typeof each !== "string") {
      report(`${name} must be a key such as "ctrl+x", a list of keys, or [] for none`);
      return [];
    }
    const key = normalizeKey(each);
    if (key === undefined)
      report(`unknown key ${truncate(JSON.stringify(each), 40)}${didYouMean(similarKey(each))}`);
    return key ?? [];
  });
  return keys.length > 0 || values.length === 0 ? keys : undefined;
}

/** Whether a key can be bound to an action in a mode; marks it as taken. */
function isFree(
  key: string,
  action: ActionId,
  mode: Mode,
  taken: ReadonlyMap<Mode, Map<string, ActionId>>,
  report: (message: string) => void,
): boolean {
  if (isTyping(mode) && /^(?:shift\+)?(?:[a-z0-9]|space)$/.test(key)) {
    report(`${formatKey(key)} cannot be bound to ${action} in the ${mode}, because letters are typed there`);
    return false;
  }
  const sent = toSentKey(key);
  const other = sent === "ctrl+c" ? "cancel" : (taken.get(mode)?.get(sent) ?? action);
  if (other === action) {
    taken.get(mode)?.set(sent, action);
    return true;
  }
  const same = sent === key ? "" : ` (which many terminals send as ${formatKey(sent)})`;
  const where = mode === "list" ? "" : ` in the ${mode}`;
  report(
    `${formatKey(key)}${same} cannot be bound to ${action}, because it is already bound to ${other}${where}`,
  );
  return false;
}

/** A key with a similar name: each word of a name is corrected separately. */
function similarKey(name: string): string | undefined {
  const words = name
    .split(/[+-]/)
    .map((word) => (word.length < 2 ? word : (findNearestWord(word, KEY_WORDS) ?? word)));
  const key = normalizeKey(words.join("+"));
  return key && JSON.stringify(key);
}

export const didYouMean = (word: string | undefined): string =>
  word === undefined ? "" : `; did you mean ${word}?`;
