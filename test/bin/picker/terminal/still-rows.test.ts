/** From the first frame to the last one without input, no row changes its place. */
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openTerminal, type TestTerminal } from "../../../terminal.ts";
import { buildIndex, getCount, getTitles, isSettled, PIDEX, TestHome } from "./open-picker.ts";

/** Opens the picker, and records every frame until one matches. */
async function record(home: TestHome, argv: readonly string[], isLast: (screen: string[]) => boolean) {
  const frames: string[][] = [];
  const picker: TestTerminal = await openTerminal({
    argv: [process.execPath, PIDEX, ...argv],
    env: home.env,
    cwd: home.folder,
    cols: 120,
    rows: 20,
  });
  await picker.until((screen) => {
    frames.push(screen);
    return isLast(screen);
  }, "the last frame");
  return { picker, frames };
}

/** Asserts that each title is on one line only, in all frames. */
function expectStill(frames: readonly string[][]): void {
  const lines = new Map<string, Set<number>>();
  for (const screen of frames) {
    for (const title of getTitles(screen, 59)) {
      const line = screen.findIndex((row) => row.slice(2).startsWith(title));
      lines.set(title, (lines.get(title) ?? new Set()).add(line));
    }
  }
  const moved = [...lines].filter(([, places]) => places.size > 1);
  expect(moved.map(([title, places]) => `${title}: ${[...places]}`)).toEqual([]);
  expect(lines.size).toBeGreaterThan(5);
}

/** Sessions of a month, some of them forks of earlier ones. */
function writeSessions(home: TestHome): void {
  for (let n = 0; n < 30; n++) {
    const day = String(n + 1).padStart(2, "0");
    const draft = home
      .begin(n % 3 === 0 ? "shop" : "blog", `2026-01-${day}T09:00:00.000Z`)
      .user(`Question ${n} about the walrus`)
      .assistant(`A walrus, ${"again and ".repeat(n % 7)}again.`);
    home.put(draft);
    if (n % 5 > 0) continue;
    const timestamp = `2026-02-${day}T09:00:00.000Z`;
    const leaf = draft.lastId as string;
    const fork = draft.fork({ timestamp, leaf, parentSession: home.pathOf(draft) });
    home.put(fork.user("What else?").name(`Fork of ${n}`));
  }
}

test("the first frame has the order of the list, with threads", async () => {
  const home = new TestHome();
  writeSessions(home);
  await buildIndex(home);
  const { picker, frames } = await record(
    home,
    ["pick", "--all"],
    (screen) => /Enter resume/.test(screen.at(-1) ?? "") && isSettled(screen),
  );
  const titles = getTitles(picker.screen(), 59);
  expect(titles.slice(0, 5)).toEqual([
    "Question 25 about the walrus",
    "└─ Fork of 25",
    "Question 20 about the walrus",
    "└─ Fork of 20",
    "Question 15 about the walrus",
  ]);
  expectStill(frames);
  // The first frame is written at once, but may be read in parts.
  const first = frames.find((screen) => getTitles(screen, 59).length === titles.length);
  expect(listed(first ?? [])).toEqual(listed(picker.screen()));
});

const listed = (screen: string[]) => screen.slice(3, -1).map((row) => row.slice(0, 59));

test("sessions that are new or changed when it opens don't move others: the first line counts those above", async () => {
  const home = new TestHome();
  writeSessions(home);
  await buildIndex(home);
  home.put(home.begin("shop", "2026-03-01T09:00:00.000Z").user("Brand new"));
  const changed = home.begin("shop", "2026-01-10T09:00:00.000Z").user("Question 9 about the walrus");
  const line = { type: "message", id: "11111111", parentId: null, timestamp: "2026-03-02T09:00:00.000Z" };
  const message = { role: "user", content: "One more", timestamp: 1 };
  appendFileSync(home.pathOf(changed), `${JSON.stringify({ ...line, message })}\n`);
  const { picker, frames } = await record(
    home,
    ["pick", "--all"],
    (screen) => /^── ↑ 1 new ─/.test(screen[2] ?? "") && isSettled(screen),
  );
  expectStill(frames);
  expect(getCount(picker.screen())).toBe("2/37");
  picker.press("up");
  await picker.until(/^› Brand new/m);
  await picker.until((screen) => !/new ─/.test(screen[2] ?? ""));
});

test("the results of a query on the command line don't move", async () => {
  const home = new TestHome();
  writeSessions(home);
  await buildIndex(home);
  home.put(home.begin("shop", "2026-03-01T09:00:00.000Z").user("A walrus, brand new"));
  const { frames } = await record(
    home,
    ["pick", "--all", "walrus"],
    (screen) => /\/31$/.test(getCount(screen)) && isSettled(screen),
  );
  expectStill(frames);
});

test("while the first index is built, the newest sessions are there first, and don't move", async () => {
  const home = new TestHome();
  writeSessions(home);
  const { picker, frames } = await record(
    home,
    ["pick", "--all"],
    (screen) => getCount(screen) === "1/36" && isSettled(screen) && /assistant/.test(screen.join()),
  );
  expect(getTitles(picker.screen(), 59)[0]).toBe("Question 25 about the walrus");
  expectStill(frames);
});
