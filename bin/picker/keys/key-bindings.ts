import { decodeKittyPrintable, type KeyId, matchesKey } from "@earendil-works/pi-tui";
import {
  type Action,
  type ActionId,
  editsText,
  MODES,
  type Mode,
  QUIT_KEY,
  resolveBindings,
  type UserKeys,
} from "./actions.ts";

/** Maps keys to actions, by mode. */
/** Actions below a heading. */
export interface ActionGroup {
  name: string;
  actions: readonly Action[];
}

export class KeyBindings {
  readonly #actions: ReadonlyMap<Mode, readonly Action[]>;

  /** @param own the user's key bindings */
  constructor(own: UserKeys = {}) {
    this.#actions = new Map(MODES.map((mode) => [mode, resolveBindings(mode, own)]));
  }

  /**
   * The action of a key. Key releases, which terminals with kitty's protocol report, have none.
   *
   * @param data what the terminal sent for one key
   * @param hasQuery whether something is typed: keys that type a character then have no action
   */
  getAction(data: string, mode: Mode, hasQuery = false): ActionId | undefined {
    if (RELEASED.test(data)) return undefined;
    for (const form of equivalentSequences(data)) {
      const found = this.#actions
        .get(mode)
        ?.find(({ keys }) =>
          keys.some((key) => matchesKey(form, key as KeyId) && !(hasQuery && editsText(mode, key))),
        );
      if (found) return found.action;
    }
    return undefined;
  }

  /** Whether a key quits the picker in every mode. */
  isQuitKey(data: string): boolean {
    return !RELEASED.test(data) && equivalentSequences(data).some((form) => matchesKey(form, QUIT_KEY));
  }

  /** The keys of an action in a mode, such as `ctrl+s`. */
  getKeys(action: ActionId, mode: Mode): readonly string[] {
    return this.#actions.get(mode)?.find((each) => each.action === action)?.keys ?? [];
  }

  /** The actions of a mode with their keys, in the order of the table. */
  getActions(mode: Mode): readonly Action[] {
    return this.#actions.get(mode) ?? [];
  }

  /** The actions of a mode by their groups; those of this mode alone first, except in the list. */
  getGroups(mode: Mode): ActionGroup[] {
    const byName = Map.groupBy(this.getActions(mode), ({ group }) => group);
    const groups = [...byName].map(([name, actions]) => ({ name, actions }));
    const isOwn = ({ actions }: ActionGroup) =>
      mode !== "list" && actions.every(({ where }) => where.length === 1);
    return groups.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  }
}

/** Ctrl+J, which pi-tui recognizes as Enter too. Enter is a carriage return in raw mode. */
const CTRL_J = "\n";
const KITTY_CTRL_J = "\x1b[106;5u";
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send keys as escape sequences
const RELEASED = /^\x1b\[[\d:;]*:3[A-Za-z~]$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const ALT_LETTER = /^\x1b([a-zA-Z])$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const FUNCTION_KEY = /^\x1b\[(?:1(?:;(\d+)(?::[12])?)?)?([PQS])$/;
/** A shifted character, as xterm sends it with `modifyOtherKeys`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const SHIFTED = /^\x1b\[27;2;(\d{2,5})~$/;
/** Modifier bits of Caps Lock and Num Lock, which are ignored. */
const LOCKS = 64 + 128;

/** The sequences by which pi-tui may recognize a key, the original one first. */
function equivalentSequences(data: string): string[] {
  if (data === CTRL_J) return [KITTY_CTRL_J];
  const letter = ALT_LETTER.exec(data)?.[1];
  if (letter) {
    // pi-tui would recognize Alt+N as Alt+Down too, and does not know Alt+Shift+N.
    const small = letter.toLowerCase();
    return [`\x1b[${small.charCodeAt(0)};${letter === small ? 3 : 4}u`];
  }
  const [, modifiers = "1", final] = FUNCTION_KEY.exec(data) ?? [];
  if (final && ((Number(modifiers) - 1) & ~LOCKS) === 0) return [`\x1bO${final}`];
  const shifted = SHIFTED.exec(data)?.[1];
  const typed = shifted ? String.fromCodePoint(Number(shifted)) : decodeKittyPrintable(data);
  return typed === undefined ? [data] : [data, typed];
}
