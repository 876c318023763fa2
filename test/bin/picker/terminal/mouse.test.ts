import { expect, test } from "vitest";
import type { TestTerminal } from "../../../terminal.ts";
import { getCount, getSelected, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

const [LEFT, WHEEL_UP, WHEEL_DOWN] = [0, 64, 65];

/** Sends an SGR report of a press, at a position from 0. */
const press = (terminal: TestTerminal, button: number, column: number, row: number): void =>
  terminal.write(`\x1b[<${button};${column + 1};${row + 1}M`);

test("a click selects, the wheel moves the selection and scrolls text", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const long = home.begin("shop", "2026-01-09T09:00:00.000Z").user("A long one");
  for (let n = 1; n < 60; n++) long.assistant(`Line ${n}`).user(`Prompt ${n}`);
  home.put(long);
  const picker = await openPicker(home, { cols: 120, rows: 30, argv: ["pick", "--all"] });
  expect(picker.modes.mouseTrackingMode).toBe("vt200");
  press(picker, LEFT, 10, 4);
  await picker.until((screen) => getSelected(screen) === "Which prices end in 99?");
  press(picker, WHEEL_UP, 10, 4);
  await picker.until((screen) => getSelected(screen) === "A long one");
  press(picker, LEFT, 10, 20); // below the last session
  press(picker, LEFT, 10, 0);
  await picker.until(/│ Prompt 1$/m);
  press(picker, WHEEL_DOWN, 100, 10); // over the preview
  press(picker, WHEEL_DOWN, 100, 10);
  press(picker, WHEEL_DOWN, 100, 10);
  await picker.until((screen) => !/│ Prompt 1$/m.test(screen.join("\n")) && getCount(screen) === "1/5");

  picker.press("ctrl+v");
  await picker.until("Esc back");
  picker.press("g");
  await picker.until(/^ {2}A long one$/m);
  press(picker, WHEEL_DOWN, 10, 10);
  await picker.until((screen) => !/^ {2}A long one$/m.test(screen.join("\n")));
  press(picker, WHEEL_UP, 10, 10);
  await picker.until(/^ {2}A long one$/m);
});

test("a click selects in the tree, the filters and the palette", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "--all"] });
  picker.press("ctrl+t");
  await picker.until("And in euros?");
  press(picker, LEFT, 5, 5);
  await picker.until(/^› .*And in yen\?/m);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  picker.press("ctrl+g");
  await picker.until(/^› shop/m);
  press(picker, LEFT, 5, 3); // a heading
  press(picker, LEFT, 5, 5);
  await picker.until((screen) => screen[5]?.startsWith("› ") === true);
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
  picker.press("ctrl+k");
  await picker.until(/^── commands/m);
  press(picker, LEFT, 5, 5);
  await picker.until(/^› read the session/m);
});

test("with mouse = false, and after the picker, the terminal keeps the mouse", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const first = await openPicker(home);
  first.press("ctrl+c");
  await first.exit;
  expect(first.modes.mouseTrackingMode).toBe("none");
  home.settings("[picker]\nmouse = false\n");
  const picker = await openPicker(home);
  expect(picker.modes.mouseTrackingMode).toBe("none");
});
