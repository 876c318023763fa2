import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import type { BenchRoot } from "./bench-root.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median, p95 } from "./distribution.ts";
import { KEY_COUNT, KEY_INTERVAL_MS, QUERIES, QUERY_PAUSE_MS } from "./typing.ts";
import type { Workspace } from "./workspace.ts";

const GOALS = {
  results: { of: "measured", atMost: 50 },
  opened: { of: "measured", atMost: 600 },
  paint: { of: "measured", atMost: 300 },
  rows: { of: "measured", atMost: 500 },
  largeResults: { of: "measured", atMost: 100 },
  usage: { of: "measured", atMost: 500 },
} satisfies Record<string, Goal>;

/** Scroll positions from the end of a session to its start. */
const SCROLL_STEPS = 200;

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/chromium-headless-shell"].find(
  (path) => existsSync(path),
);

/** I. The page in the system's Chromium: typing, opening a long session, scrolling through it. */
export async function measurePage(bench: Workspace): Promise<Comparison[]> {
  if (!CHROMIUM) {
    bench.notes.add("The page was skipped: Chromium is not installed.");
    return [];
  }
  if (spawnSync("fc-list", [":lang=ja"], { encoding: "utf8" }).stdout?.trim() === "") {
    bench.notes.add(
      "No font with Japanese letters is installed (fonts-noto-cjk): the browser searches for one at each key, which takes up to 40 ms.",
    );
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--js-flags=--expose-gc"],
  });
  try {
    const small = bench.root("small", bench.sizes.small);
    const giant = bench.root("giant", bench.sizes.giant);
    const echoRounds: number[][] = [];
    const keyRounds: number[][] = [];
    const openings: number[] = [];
    const listHeaps: number[] = [];
    const peakHeaps: number[] = [];
    const firstElements: number[] = [];
    const maxElements: number[] = [];
    const large = bench.main;
    const paints: Paints = { empty: [], list: [], rows: [], usage: [] };
    const largeKeyRounds: number[][] = [];
    await bench.runRounds(`the page over ${large.title}: first paint, list, usage, keys`, async () => {
      await withPage(bench, browser, large, async (page) => {
        for (let turn = 0; turn < bench.turns; turn++) await measurePaints(page, paints);
        await page.goto(new URL("/", page.url()).href);
        await page.locator(".result-title").first().waitFor();
        largeKeyRounds.push(await typeIntoPage(page));
      });
    });
    await bench.runRounds(
      `the page: ${KEY_COUNT} keys over ${small.title}, the end of ${giant.title}`,
      async () => {
        echoRounds.push(await typeIntoEmptyPage(browser));
        await withPage(bench, browser, small, async (page) => void keyRounds.push(await typeIntoPage(page)));
        await withPage(bench, browser, giant, async (page, devtools) => {
          listHeaps.push(await measureHeap(page, devtools));
          openings.push(await openSession(page));
          const scrolled = await scrollToStart(page, devtools);
          peakHeaps.push(scrolled.peakHeapBytes);
          maxElements.push(scrolled.maxElements);
          firstElements.push(scrolled.firstElements);
        });
      },
    );
    const against = {
      unit: "ms",
      against: "an empty page that shows what is typed",
      times: "as long",
    } as const;
    const key = `a key of the page over ${small.title}: results painted`;
    const opened = {
      unit: "ms",
      against: "an empty page painted",
      base: paints.empty,
      times: "as long",
    } as const;
    const over = `the page over ${large.title}, server warm`;
    return [
      compare({ ...opened, what: `${over}: first paint`, measured: paints.list, goal: GOALS.paint }),
      compare({ ...opened, what: `${over}: rows painted`, measured: paints.rows, goal: GOALS.rows }),
      compare({ ...opened, what: `${over}: usage painted`, measured: paints.usage, goal: GOALS.usage }),
      compare({
        ...against,
        what: `a key of the page over ${large.title}: results painted, p95`,
        measured: largeKeyRounds.map(p95),
        base: echoRounds.map(p95),
        goal: GOALS.largeResults,
      }),
      compare({
        ...against,
        what: `${key}, p50 of ${KEY_COUNT} keys`,
        measured: keyRounds.map(median),
        base: echoRounds.map(median),
      }),
      compare({
        ...against,
        what: `${key}, p95`,
        measured: keyRounds.map(p95),
        base: echoRounds.map(p95),
        goal: GOALS.results,
      }),
      compare({
        ...against,
        what: `the first screen of ${giant.title} painted, from the click`,
        measured: openings,
        base: echoRounds.map(median),
        goal: GOALS.opened,
      }),
      compare({
        what: `peak heap of the page while scrolling through it in ${SCROLL_STEPS} steps`,
        unit: "bytes",
        measured: peakHeaps,
        against: "the list of sessions",
        base: listHeaps,
        times: "as much",
      }),
      compare({
        what: "maximum number of elements while scrolling",
        unit: "lines",
        measured: maxElements,
        against: "on its first screen",
        base: firstElements,
        times: "as much",
      }),
    ];
  } finally {
    await browser.close();
  }
}

/** Opens the page on an indexed root, waits until it has loaded, and calls a function with it. */
async function withPage(
  bench: Workspace,
  browser: Browser,
  root: BenchRoot,
  work: (page: Page, devtools: CDPSession) => Promise<void>,
): Promise<void> {
  const cli = new CommandLine(bench);
  const argv = cli.argv(["serve", "--no-open", "--root", root.path, "--db", bench.index(root)]);
  const server = spawn(process.execPath, argv, {
    env: { ...process.env, ...cli.env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const [link] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(link);
    await page.locator(".result-title").first().waitFor();
    await page.getByText("up to date").waitFor();
    await pause(QUERY_PAUSE_MS);
    await work(page, await context.newCDPSession(page));
  } finally {
    await context.close();
    server.kill();
    await once(server, "exit");
  }
}

/** Milliseconds from the navigation. */
interface Paints {
  empty: number[];
  list: number[];
  rows: number[];
  usage: number[];
}

/** Opens an empty page, the list and the usage view, in turns. */
async function measurePaints(page: Page, paints: Paints): Promise<void> {
  const { origin } = new URL(page.url());
  const other = await page.context().newPage();
  await other.goto("data:text/html,<p>empty");
  paints.empty.push(await other.evaluate<number>(FIRST_PAINT));
  await other.goto(`${origin}/`);
  paints.rows.push(await other.evaluate<number>(untilPainted(".result-title")));
  paints.list.push(await other.evaluate<number>(FIRST_PAINT));
  await other.goto(`${origin}/usage?range=all`);
  paints.usage.push(await other.evaluate<number>(untilPainted("[data-figure]")));
  await other.close();
}

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list, observer) => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (!paint) return;
  observer.disconnect();
  resolve(paint.startTime);
}).observe({ type: "paint", buffered: true }))`;

/** When an element was painted, in milliseconds from the navigation. */
const untilPainted = (selector: string) => `new Promise((resolve) => {
  const check = () => {
    if (!document.querySelector(${JSON.stringify(selector)})) return requestAnimationFrame(check);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  check();
})`;

/** Milliseconds from each key until its results are painted. */
async function typeIntoPage(page: Page): Promise<number[]> {
  await page.evaluate(RECORD_KEY_TIMES);
  await page.locator(".query-input").focus();
  await typeQueries(page);
  return page.evaluate("times");
}

/** The same for a page that only echoes what is typed. */
async function typeIntoEmptyPage(browser: Browser): Promise<number[]> {
  const page = await browser.newPage();
  await page.setContent('<input class="query-input"><p class="results" aria-busy="false"></p>');
  await page.evaluate(RECORD_KEY_TIMES);
  await page.evaluate(`document.querySelector("input").addEventListener("input", () => {
    document.querySelector("p").setAttribute("aria-busy", "false") })`);
  await page.locator(".query-input").focus();
  for (const letter of QUERIES.join("").slice(0, 50)) {
    await page.keyboard.insertText(letter);
    await pause(KEY_INTERVAL_MS);
  }
  const times = await page.evaluate<number[]>("times");
  await page.close();
  return times;
}

/** Records the time from each typed letter until its results are painted: until then, the list is marked as busy. */
const RECORD_KEY_TIMES = `
globalThis.times = [];
let startedAt;
document.addEventListener("input", () => { startedAt = performance.now(); }, true);
new MutationObserver(() => {
  if (startedAt === undefined || document.querySelector(".results")?.getAttribute("aria-busy") !== "false") return;
  const from = startedAt;
  startedAt = undefined;
  requestAnimationFrame(() => {
    const after = new MessageChannel();
    after.port1.onmessage = () => times.push(performance.now() - from);
    after.port2.postMessage(0);
  });
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["aria-busy"] });
`;

async function typeQueries(page: Page): Promise<void> {
  for (const query of QUERIES) {
    for (const letter of query) {
      await page.keyboard.insertText(letter);
      await pause(KEY_INTERVAL_MS);
    }
    await pause(QUERY_PAUSE_MS);
    await page.locator(".query-input").fill("");
    await pause(QUERY_PAUSE_MS);
  }
}

/** Milliseconds from a click on the only session until the entries of its first screen are painted. */
async function openSession(page: Page): Promise<number> {
  await page.evaluate(`
    globalThis.opened = new Promise((resolve) => {
      document.addEventListener("click", () => {
        const from = performance.now();
        const check = () => {
          const rows = [...document.querySelectorAll("[data-index]")];
          const isShown = (row) => row.textContent.trim() !== "" && row.getBoundingClientRect().top < innerHeight;
          const isPainted = rows.some(isShown) && !document.querySelector(".row-waiting");
          if (isPainted) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
          else requestAnimationFrame(check);
        };
        check();
      }, { capture: true, once: true });
    }); undefined`);
  await page.locator(".result-title").first().click();
  return page.evaluate("opened");
}

/** Scrolls through the session from its end to its start. */
async function scrollToStart(
  page: Page,
  devtools: CDPSession,
): Promise<{ peakHeapBytes: number; maxElements: number; firstElements: number }> {
  let [peakHeapBytes, maxElements] = [0, 0];
  // As by a user: until then, the session stays where it was opened.
  await page.evaluate(
    `document.querySelector(".transcript-scroller").dispatchEvent(new WheelEvent("wheel"))`,
  );
  const countElements = () => page.evaluate<number>("document.querySelectorAll('*').length");
  const firstElements = await countElements();
  for (let step = 1; step <= SCROLL_STEPS; step++) {
    await page.evaluate(`scroller().scrollTop = scroller().scrollHeight * (1 - ${step / SCROLL_STEPS});
      function scroller() { return document.querySelector(".transcript-scroller"); }`);
    await page.locator(".row-waiting").first().waitFor({ state: "detached" });
    maxElements = Math.max(maxElements, await countElements());
    if (step % 20 === 0) peakHeapBytes = Math.max(peakHeapBytes, await measureHeap(page, devtools));
  }
  return { peakHeapBytes, maxElements, firstElements };
}

/** Heap of the page's script after garbage collection, in bytes. */
async function measureHeap(page: Page, devtools: CDPSession): Promise<number> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await page.evaluate("0");
  return usedSize;
}
