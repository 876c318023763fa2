import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getCount, getSelected, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

test("Up in the first row recalls queries that were used, in this picker and later ones", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home);
  for (const query of ["kettle", "zebra"]) {
    picker.write(query);
    await picker.until((screen) => getCount(screen) === "1/1");
    picker.press("escape");
    await picker.until((screen) => screen[1] === "›" && getCount(screen) === "1/4");
  }
  picker.write("tax");
  await picker.until((screen) => screen[1] === "› tax" && getCount(screen) !== "1/4");
  picker.press("up"); // keeps what is typed
  picker.press("ctrl+u");
  await picker.until((screen) => screen[1] === "›" && getCount(screen) === "1/4");
  picker.press("ctrl+c");
  await picker.exit;
  const file = join(home.folder, "data", "pidex", "queries.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ history: ["kettle", "zebra"], searches: [] });

  const later = await openPicker(home);
  later.press("down");
  await later.until((screen) => getSelected(screen) === "Write about kettles");
  later.press("up", "up", "up"); // held down: it stays in the first row
  await later.until((screen) => getSelected(screen) === "Which prices end in 99?");
  expect(later.screen()[1]).toBe("›");
  later.press("ctrl+up");
  await later.until((screen) => screen[1] === "› zebra" && getCount(screen) === "1/1");
  later.press("up");
  await later.until((screen) => screen[1] === "› kettle" && getCount(screen) === "1/1");
  later.press("ctrl+up");
  await later.until(/\nno other query in the history$/);
  later.press("ctrl+down");
  await later.until((screen) => screen[1] === "› zebra");
  later.press("ctrl+down");
  await later.until((screen) => screen[1] === "›");
});

test("a search that was saved by name is in the palette; with history = false no query is stored", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  home.settings("[picker]\nhistory = false\n");
  const picker = await openPicker(home);
  picker.write("kettle");
  await picker.until((screen) => getCount(screen) === "1/1");
  picker.press("alt+q");
  await picker.until(/\nSave the search as:$/);
  picker.write("Tea");
  picker.press("enter");
  await picker.until(/\nsaved: Ctrl\+K lists it as Tea$/);
  picker.press("escape");
  await picker.until((screen) => screen[1] === "›");
  picker.press("ctrl+k");
  picker.write("tea");
  await picker.until(/^› saved search: Tea +kettle$/m);
  picker.press("enter");
  await picker.until((screen) => screen[1] === "› kettle" && getCount(screen) === "1/1");
  const file = join(home.folder, "data", "pidex", "queries.json");
  const searches = [{ name: "Tea", query: "kettle" }];
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ history: [], searches });

  picker.press("alt+q");
  await picker.until(/\nSave the search as: Tea$/);
  picker.press("ctrl+u");
  picker.press("enter");
  await picker.until(/\nno search saved$/);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ history: [], searches: [] });
});
