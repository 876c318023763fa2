import { renameSync } from "node:fs";
import { expect, test } from "vitest";
import { chosen, countOf, Home, isSettled, openPicker, someSessions, titles } from "./open-picker.ts";

/** A session with a fork that is the newest session: first in the first frame, below its parent in threads. */
function forkedLast(home: Home) {
  const { checkout, prices } = someSessions(home);
  const fork = checkout.made
    .fork({
      timestamp: "2026-02-01T09:00:00.000Z",
      leaf: checkout.made.entries[0]?.id as string,
      parentSession: checkout.path,
    })
    .assistant("Newest of all.")
    .name("The newest fork");
  return { prices, checkout, fork: home.put(fork) };
}

test("Enter on the first frame selects the session under the cursor there", async () => {
  const home = new Home();
  const { fork } = forkedLast(home);
  const picker = await openPicker(home, {
    argv: ["pick", "--print", "path"],
    cols: 160,
    ready: "The newest fork",
  });
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(picker.bytes()).toContain(`${fork}\r\n`);
});

test("the cursor stays on its session while rows move", async () => {
  const home = new Home();
  const { fork } = forkedLast(home);
  const picker = await openPicker(home, { argv: ["pick", "--print", "path"], cols: 160 });
  const threads = await picker.until(
    (screen) => /├─ The newest fork/.test(screen.join()) && isSettled(screen),
  );
  expect(titles(threads).slice(0, 4)).toEqual([
    "Which prices end in 99?",
    "Write about kettles",
    "Checkout tax",
    "├─ The newest fork",
  ]);
  expect(chosen(threads)).toBe("├─ The newest fork");
  expect(countOf(threads)).toBe("4/5");

  // A session that appears meanwhile, without a key.
  home.put(home.begin("shop", "2026-03-01T09:00:00.000Z").user("Brand new"));
  const later = await picker.until(/^ {2}Brand new/m);
  expect(chosen(later)).toBe("├─ The newest fork");
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(picker.bytes()).toContain(`${fork}\r\n`);
});

test("if the session under the cursor disappears, the next one is selected, and a key meant for the first does nothing", async () => {
  const home = new Home();
  const { prices } = someSessions(home);
  const picker = await openPicker(home, { argv: ["pick", "--print", "path"], cols: 160 });
  expect(chosen(picker.screen())).toBe("Which prices end in 99?");
  renameSync(prices.path, `${home.folder}/elsewhere`);
  await picker.until((screen) => countOf(screen) === "1/3");
  picker.press("enter");
  await picker.until(/\nthe list changed; press the key again[^\n]*$/);
  expect(titles(picker.screen())[0]).toBe("Write about kettles");
});
