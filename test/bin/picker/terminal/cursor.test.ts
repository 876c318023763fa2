import { renameSync } from "node:fs";
import { expect, test } from "vitest";
import {
  getCount,
  getSelected,
  getTitles,
  openPicker,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

/** A session with a fork that is the newest session. */
function forkedLast(home: TestHome) {
  const { checkout, prices } = writeSampleSessions(home);
  const fork = checkout.session
    .fork({
      timestamp: "2026-02-01T09:00:00.000Z",
      leaf: checkout.session.entries[0]?.id as string,
      parentSession: checkout.path,
    })
    .assistant("Newest of all.")
    .name("The newest fork");
  return { prices, checkout, fork: home.put(fork) };
}

test("Enter on the first frame selects the session under the cursor there", async () => {
  const home = new TestHome();
  const { checkout } = forkedLast(home);
  const picker = await openPicker(home, {
    argv: ["pick", "--print", "path"],
    cols: 160,
    ready: "The newest fork",
  });
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(picker.bytes()).toContain(`${checkout.path}\r\n`);
});

test("the cursor stays on its session, and on its line, when sessions appear", async () => {
  const home = new TestHome();
  const { fork } = forkedLast(home);
  const picker = await openPicker(home, { argv: ["pick", "--print", "path"], cols: 160 });
  expect(getTitles(picker.screen())).toEqual([
    "Checkout tax",
    "├─ The newest fork",
    "└─ Tax, another way",
    "Which prices end in 99?",
    "Write about kettles",
  ]);
  picker.press("down");
  await picker.until((screen) => getCount(screen) === "2/5");

  // A session that appears meanwhile, without a key.
  home.put(home.begin("shop", "2026-03-01T09:00:00.000Z").user("Brand new"));
  const later = await picker.until((screen) => getCount(screen) === "3/6");
  expect(later[4]).toMatch(/^› ├─ The newest fork/);
  expect(later[2]).toMatch(/^── ↑ 1 new ─/);
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(picker.bytes()).toContain(`${fork}\r\n`);
});

test("if the session under the cursor disappears, the next one is selected, and a key meant for the first does nothing", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  const picker = await openPicker(home, { argv: ["pick", "--print", "path"], cols: 160 });
  expect(getSelected(picker.screen())).toBe("Which prices end in 99?");
  renameSync(prices.path, `${home.folder}/elsewhere`);
  await picker.until((screen) => getCount(screen) === "1/3");
  picker.press("enter");
  await picker.until(/\nthe list changed; press the key again[^\n]*$/);
  expect(getTitles(picker.screen())[0]).toBe("Write about kettles");
});
