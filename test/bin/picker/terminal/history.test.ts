import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  getCount,
  getSelected,
  isSettled,
  openPicker,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

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

test("Ctrl+D removes a saved search in the list of commands, which says so", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { rows: 60 });
  for (const name of ["Tea", "Water"]) {
    picker.write("x");
    await picker.until(isSettled);
    picker.press("alt+q");
    await picker.until(/\nSave the search as:$/);
    picker.write(name);
    picker.press("enter");
    await picker.until(new RegExp(`\\nsaved: Ctrl\\+K lists it as ${name}$`));
  }
  picker.press("ctrl+k");
  await picker.until(/^Saved searches \(Ctrl\+D removes one\)$/m);
  picker.press("ctrl+d"); // a command is selected
  picker.write("saved search: tea");
  await picker.until(/^› saved search: Tea +x$[\s\S]*\nEnter run {3}Ctrl\+D remove {3}Esc clear/m);
  picker.press("ctrl+d");
  await picker.until(/\nRemove the saved search “Tea”\? +\[y\/N\]$/);
  picker.press("n");
  await picker.until(/\nnot removed$/);
  picker.press("ctrl+d", "y");
  await picker.until(/\nremoved the saved search Tea$/);
  picker.press("ctrl+u");
  picker.write("saved search");
  await picker.until(/^› saved search: Water +xx$/m);
  expect(picker.screen().join("\n")).not.toContain("saved search: Tea");
  const stored = readFileSync(join(home.folder, "data", "pidex", "queries.json"), "utf8");
  expect(JSON.parse(stored).searches).toEqual([{ name: "Water", query: "xx" }]);
});
