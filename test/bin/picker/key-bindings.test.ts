import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setKittyProtocolActive } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import {
  ACTIONS,
  type ActionId,
  MODES,
  type Mode,
  resolveBindings,
} from "../../../bin/picker/keys/actions.ts";
import { KeyBindings } from "../../../bin/picker/keys/key-bindings.ts";
import { formatKey, isTextKey, normalizeKey, toSentKey } from "../../../bin/picker/keys/key-names.ts";
import { toKeyBytes } from "../../key-bytes.ts";
import { HOME } from "../cli.ts";

afterEach(() => setKittyProtocolActive(false));

const keys = new KeyBindings();
/** Every key with its action and mode. */
const PRESSES = MODES.flatMap((mode) =>
  resolveBindings(mode).flatMap(({ action, keys }) => keys.map((key) => ({ mode, key, action }))),
);

/** What kitty's protocol sends if all keys are reported as sequences. */
function kittyBytesOf(name: string, event = ""): string {
  const parts = name.split("+");
  const key = parts.pop() as string;
  const sum = parts.reduce((all, each) => all + ({ shift: 1, alt: 2, ctrl: 4, super: 8 }[each] as number), 1);
  const modifiers = sum === 1 && event === "" ? "" : `;${sum}${event}`;
  const lettered = { up: "A", down: "B", right: "C", left: "D", home: "H", end: "F", f1: "P", f2: "Q" }[key];
  if (lettered) return `\x1b[${modifiers && "1"}${modifiers}${lettered}`;
  const numbered = { insert: 2, delete: 3, pageUp: 5, pageDown: 6 }[key];
  if (numbered) return `\x1b[${numbered}${modifiers}~`;
  if (key === "?") return `\x1b[47:63;2${event}u`; // Shift+/
  const code = { escape: 27, tab: 9, enter: 13, space: 32, backspace: 127 }[key] ?? key.charCodeAt(0);
  return `\x1b[${code}${modifiers}u`;
}

test("no key has two actions in a mode, not even if terminals send the same bytes for two keys", () => {
  for (const mode of MODES) {
    const sent = PRESSES.filter((each) => each.mode === mode).map(({ key }) => toSentKey(key));
    expect(sent).toEqual([...new Set(sent)]);
  }
});

test("every action is unique in its modes and has a key", () => {
  for (const mode of MODES) {
    const here = resolveBindings(mode);
    expect(here.map(({ action }) => action)).toEqual([...new Set(here.map(({ action }) => action))]);
    expect(here.filter(({ keys, does }) => keys.length === 0 || does === "")).toEqual([]);
  }
});

test("the table uses canonical key names", () => {
  for (const { keys } of ACTIONS) expect(keys.map(normalizeKey)).toEqual(keys);
});

test.each(PRESSES)("$key is $action in the $mode, however the terminal sends it", ({ mode, key, action }) => {
  expect(keys.getAction(toKeyBytes(key), mode)).toBe(action);
  setKittyProtocolActive(true);
  expect(keys.getAction(kittyBytesOf(key), mode)).toBe(action);
  expect(keys.getAction(kittyBytesOf(key, ":1"), mode)).toBe(action);
  expect(keys.getAction(kittyBytesOf(key, ":2"), mode)).toBe(action); // held down
  expect(keys.getAction(kittyBytesOf(key, ":3"), mode)).toBeUndefined(); // released
});

test.each<[string, string, Mode, ActionId | undefined]>([
  ["Ctrl+S", "\x13", "list", "sort"],
  ["Tab", "\t", "list", "mark"],
  ["Ctrl+F", "\x06", "list", "scope"],
  ["Ctrl+K", "\x0b", "list", "palette"],
  ["Ctrl+K", "\x0b", "palette", "back"],
  ["Shift+Tab", "\x1b[Z", "list", "complete"],
  ["Enter", "\r", "list", "resume"],
  ["Ctrl+N", "\x0e", "list", "down"],
  ["Ctrl+P", "\x10", "palette", "up"],
  ["Ctrl+J, which is not Enter", "\n", "list", "down"],
  ["Ctrl+J with kitty's protocol", "\x1b[106;5u", "list", "down"],
  ["Enter on the number pad", "\x1bOM", "list", "resume"],
  ["Alt+N", "\x1bn", "list", "nextHit"],
  ["Alt+Shift+N", "\x1bN", "list", "previousHit"],
  ["Alt+P", "\x1bp", "list", "pin"],
  ["Alt+Up", "\x1b[1;3A", "list", "previewUp"],
  ["Alt+Down", "\x1b[1;3B", "list", "previewDown"],
  ["Up of a keypad in its own mode", "\x1bOA", "list", "up"],
  ["F1 of the Linux console", "\x1b[[A", "list", "help"],
  ["F1 with Num Lock", "\x1b[1;129P", "list", "help"],
  ["Shift+F1", "\x1b[1;2P", "list", undefined],
  ["Ctrl+S with Caps Lock", "\x1b[115;69u", "list", "sort"],
  ["Ctrl+S on a Russian keyboard", "\x1b[1099::115;5u", "list", "sort"],
  ["Ctrl+S as xterm sends it", "\x1b[27;5;115~", "list", "sort"],
  ["? as xterm sends it", "\x1b[27;2;63~", "list", "help"],
  ["a letter", "s", "list", undefined],
  ["N", "N", "preview", "previousHit"],
  ["G", "G", "tree", "last"],
  ["Esc", "\x1b", "preview", "back"],
  ["Ctrl+C", "\x03", "facets", "cancel"],
  ["a paste with a key in it", "\x1b[200~\x13\x1b[201~", "list", undefined],
])("%s: %j in the %s is %s", (_, data, mode, action) => {
  expect(keys.getAction(data, mode)).toBe(action);
});

test("if the query is not empty, keys that type a character have no action in the list", () => {
  expect(keys.getAction("?", "list", true)).toBeUndefined();
  expect(keys.getAction("\x1bOP", "list", true)).toBe("help");
  expect(keys.getAction("\x13", "list", true)).toBe("sort");
  expect(keys.getAction("?", "preview", true)).toBe("help");
  expect(keys.getAction(" ", "preview", true)).toBe("pageDown");
});

describe("the user's keys", () => {
  const own = new KeyBindings({ list: { sort: ["ctrl+n", "alt+o"], copy: [] }, preview: { unfold: ["z"] } });

  test("replace the action's default keys, and are removed from other actions", () => {
    expect(own.getAction("\x0e", "list")).toBe("sort");
    expect(own.getAction("\x1bo", "list")).toBe("sort");
    expect(own.getAction("\x13", "list")).toBeUndefined();
    expect(own.getKeys("down", "list")).toEqual(["down", "ctrl+j"]);
    expect(own.getAction("z", "preview")).toBe("unfold");
    expect(own.getAction("e", "preview")).toBeUndefined();
  });

  test("an unbound Alt+N is not recognized as Alt+Down", () => {
    expect(new KeyBindings({ list: { nextHit: [] } }).getAction("\x1bn", "list")).toBeUndefined();
  });

  test("an empty list removes an action's keys in that mode only", () => {
    expect(own.getAction("\x19", "list")).toBeUndefined();
    expect(own.getAction("\x19", "preview")).toBe("copy");
  });

  test("the table shows the effective keys", () => {
    const keysOf = (keys: KeyBindings, mode: Mode, action: ActionId) =>
      keys
        .getGroups(mode)
        .flatMap(({ actions }) => actions.find((each) => each.action === action)?.keys ?? []);
    expect(keysOf(own, "list", "sort")).toEqual(["ctrl+n", "alt+o"]);
    expect(keysOf(new KeyBindings(), "preview", "previousHit")).toEqual(["shift+n"]);
  });

  test("Ctrl+C always quits", () => {
    const locked = new KeyBindings({ list: { cancel: [], sort: ["ctrl+c"] }, preview: { cancel: ["x"] } });
    expect(locked.getAction("\x03", "list")).toBe("cancel");
    expect(locked.getAction("\x03", "preview")).toBe("cancel");
    expect(locked.getAction("x", "preview")).toBe("cancel");
  });
});

const anyKey = fc
  .tuple(
    fc.subarray(["ctrl", "alt", "shift"]),
    fc.constantFrom(..."abcdxyz", "tab", "enter", "space", "up", "pageUp", "home", "delete"),
  )
  .map(([modifiers, key]) => normalizeKey([...modifiers, key].join("+")) as string);

test("with any bindings, a key has one action, and every key in the table runs its action", () => {
  const action = fc.constantFrom(...resolveBindings("preview").map((each) => each.action));
  const given = fc.dictionary(action, fc.array(anyKey, { maxLength: 3 })) as fc.Arbitrary<
    Partial<Record<ActionId, string[]>>
  >;
  fc.assert(
    fc.property(given, (preview) => {
      const own = new KeyBindings({ preview });
      const shown = resolveBindings("preview").flatMap((each) =>
        own.getKeys(each.action, "preview").map((key) => ({ key, action: each.action })),
      );
      expect(new Set(shown.map(({ key }) => toSentKey(key))).size).toBe(shown.length);
      for (const { key, action } of shown) {
        expect([key, own.getAction(kittyBytesOf(key), "preview")]).toEqual([key, action]);
      }
    }),
    { numRuns: 200 },
  );
});

describe("names", () => {
  test.each([
    ["Ctrl+S", "ctrl+s"],
    ["N", "shift+n"],
    ["alt+ctrl+x", "ctrl+alt+x"],
    ["esc", "escape"],
    ["RETURN", "enter"],
    ["pgup", undefined],
    ["PAGEUP", "pageUp"],
    ["?", "?"],
    ["ctrl+?", "ctrl+?"],
    ["ctlr+s", undefined],
    ["ctrl+ctrl+s", undefined],
    ["ctrl+f1", undefined],
    ["ctrl", undefined],
    ["+", undefined],
    ["", undefined],
    ["é", undefined],
  ])("%j is %j", (name, normal) => {
    expect(normalizeKey(name)).toBe(normal);
  });

  test("keys have display names", () => {
    expect(["ctrl+s", "shift+n", "n", "pageUp", "escape", "alt+shift+n", "?"].map(formatKey)).toEqual([
      ...["Ctrl+S", "N", "n", "PageUp", "Esc", "Alt+Shift+N", "?"],
    ]);
    expect(["a", "shift+a", "space", "?"].every(isTextKey)).toBe(true);
    expect(["ctrl+a", "tab", "f1", "up"].some(isTextKey)).toBe(false);
  });
});

test("docs/picker.md contains the table", () => {
  const rows = ACTIONS.map(({ action, keys, where, does }) => {
    const places = where.length === MODES.length ? "everywhere" : where.join(", ");
    return `| \`${action}\` | ${keys.map(formatKey).join(", ")} | ${places} | ${does} |`;
  });
  const page = readFileSync(join(HOME, "docs", "picker.md"), "utf8").split("\n");
  const begin = page.indexOf(rows[0] as string);
  expect(page.slice(begin, begin + rows.length + 1)).toEqual([...rows, ""]);
});
