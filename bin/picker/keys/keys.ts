import { decodeKittyPrintable, type KeyId, matchesKey } from "@earendil-works/pi-tui";
import {
  type Action,
  type ActionId,
  bindings,
  isTyped,
  MODES,
  type Mode,
  type OwnKeys,
  WAY_OUT,
} from "./actions.ts";
import { readableKey } from "./key-names.ts";

/** What the keys of a terminal mean, by where in the picker they are pressed. */
export class Keys {
  readonly #actions: Record<Mode, readonly Action[]>;

  /** @param own what a user gave to other keys */
  constructor(own: OwnKeys = {}) {
    this.#actions = Object.fromEntries(MODES.map((mode) => [mode, bindings(mode, own)])) as Record<
      Mode,
      Action[]
    >;
  }

  /**
   * What a key does. That a key was let go (terminals with kitty's protocol tell) means nothing.
   *
   * @param data what the terminal sent for one key
   * @param hasQuery whether something is typed already: keys that write a character do nothing else in the list then
   */
  actionOf(data: string, mode: Mode, hasQuery = false): ActionId | undefined {
    if (RELEASED.test(data)) return undefined;
    for (const form of formsOf(data)) {
      const found = this.#actions[mode].find(({ keys }) =>
        keys.some((key) => matchesKey(form, key as KeyId) && !(hasQuery && isTyped(mode, key))),
      );
      if (found) return found.action;
    }
    return undefined;
  }

  /** Whether a key leaves the picker, wherever it is pressed. */
  isWayOut(data: string): boolean {
    return !RELEASED.test(data) && formsOf(data).some((form) => matchesKey(form, WAY_OUT));
  }

  /** The keys of an action, as `ctrl+s`: none where it has none, or is not there. */
  keysOf(action: ActionId, mode: Mode): readonly string[] {
    return this.#actions[mode].find((each) => each.action === action)?.keys ?? [];
  }

  /** All that keys do somewhere, as it is told to people: `Ctrl+S`. What has no key is left out. */
  table(mode: Mode): { keys: string; does: string }[] {
    return this.#actions[mode]
      .filter(({ keys }) => keys.length > 0)
      .map(({ keys, does }) => ({ keys: keys.map(readableKey).join(", "), does }));
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as them
const RELEASED = /^\x1b\[[\d:;]*:3[A-Za-z~]$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const ALT_LETTER = /^\x1b([a-zA-Z])$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const FUNCTION_KEY = /^\x1b\[(?:1(?:;(\d+)(?::[12])?)?)?([PQS])$/;
/** What writes a character, as xterm sends it that was asked to tell of all modifiers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const SHIFTED = /^\x1b\[27;2;(\d{2,5})~$/;
/** Caps Lock and Num Lock, of which no key depends. */
const LOCKS = 64 + 128;

/** The same key in the forms that pi-tui may know it by, the exact one first. */
function formsOf(data: string): string[] {
  const letter = ALT_LETTER.exec(data)?.[1];
  if (letter) {
    // pi-tui would take Alt+N for Alt+Down too, and does not know Alt+Shift+N.
    const small = letter.toLowerCase();
    return [`\x1b[${small.charCodeAt(0)};${letter === small ? 3 : 4}u`];
  }
  const [, modifiers = "1", final] = FUNCTION_KEY.exec(data) ?? [];
  if (final && ((Number(modifiers) - 1) & ~LOCKS) === 0) return [`\x1bO${final}`];
  const shifted = SHIFTED.exec(data)?.[1];
  const typed = shifted ? String.fromCodePoint(Number(shifted)) : decodeKittyPrintable(data);
  return typed === undefined ? [data] : [data, typed];
}
