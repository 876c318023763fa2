/** Keys typed ahead of a prompt, and text that a prompt begins with. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { SessionManager } from "../../../../library/index.ts";
import type { TestTerminal } from "../../../terminal.ts";
import { getCount, getSelected, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

const reopen = (path: string) => SessionManager.open(path, { readOnly: true });

/** The inverted text in the last line: what is selected, or the cursor. */
function inverted(picker: TestTerminal): string {
  const row = picker.screen().length - 1;
  return Array.from({ length: 90 }, (_, column) => picker.cell(row, column))
    .map(({ inverse, text }) => (inverse ? text : ""))
    .join("");
}

/** Renames the selected session, with keys behind its current name. */
async function rename(picker: TestTerminal, ...keys: string[]): Promise<void> {
  picker.press("ctrl+r");
  await picker.until(/\nName: Checkout tax$/);
  await picker.until(() => inverted(picker) === "Checkout tax", "the name, selected");
  picker.press(...keys);
}

test("keys after Ctrl+D answer its question, also if the results of the query are not there yet", async () => {
  const home = new TestHome();
  const { kettles, prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.write("kettles\x04yx"); // Ctrl+D, yes, and on
  await picker.until(/\nmoved to trash: Write about kettles |^› kettlesx$/m);
  await picker.until((screen) => screen[1] === "› kettlesx");
  await picker.until(() => !existsSync(kettles.path), "the file to be deleted");
  expect(existsSync(prices.path)).toBe(true);
});

test("keys typed after an action without a session do not become a query", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90 });
  picker.write("qqqqxyz\x04y"); // nothing is found
  await picker.until(/\nno session is selected$/);
  expect(picker.screen()[1]).toBe("› qqqqxyz");
  picker.press("ctrl+u");
  await picker.until((screen) => getCount(screen) === "1/4");
  // The editor's question, which has to ask for the file's time first.
  SessionManager.open(prices.path).appendMessage({ role: "user", content: "More", timestamp: 0 });
  picker.press("alt+v", "n");
  await picker.until(/\nnot edited$/);
  expect(picker.screen()[1]).toBe("›");
});

test("the first character replaces the text that a prompt begins with", async () => {
  const home = new TestHome();
  const { checkout } = writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "rounded"] });
  await picker.until((screen) => getSelected(screen) === "Checkout tax");
  await rename(picker, "X");
  await picker.until(/\nName: X$/);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  // A paste is typed text, too.
  await rename(picker);
  picker.write("\x1b[200~Pasted\x1b[201~");
  await picker.until(/\nName: Pasted$/);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  await rename(picker, "backspace", "Y");
  await picker.until(/\nName: Y$/);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  await rename(picker, "end", "!");
  await picker.until(/\nName: Checkout tax!$/);
  picker.press("home", "A");
  await picker.until(/\nName: ACheckout tax!$/);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  await rename(picker, "left", "B", "right");
  await picker.until(/\nName: BCheckout tax$/);
  picker.press("enter");
  await picker.until(/\nrenamed to BCheckout tax/);
  expect(reopen(checkout.path).getSessionName()).toBe("BCheckout tax");
});

test("a name that is confirmed as it is stays, and a saved search has its name selected", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "rounded"] });
  await picker.until((screen) => getSelected(screen) === "Checkout tax");
  await rename(picker, "enter");
  await picker.until(/\nname unchanged$/);
  for (const name of ["one", "two"]) {
    picker.press("alt+q");
    await picker.until(/\nSave the search as: ?/);
    picker.write(name);
    picker.press("enter");
    await picker.until(new RegExp(`\\nsaved: Ctrl\\+K lists it as ${name}$`));
  }
});
