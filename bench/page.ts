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
import { KEYS, LOOK_MS, PACE_MS, QUERIES } from "./typing.ts";
import type { Workspace } from "./workspace.ts";

const GOALS = {
  results: { of: "measured", atMost: 50 },
  end: { of: "measured", atMost: 1000 },
} satisfies Record<string, Goal>;

/** Steps from the end of a session to its start. */
const STEPS = 200;

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

/** I. The page in the system's Chromium: typing, opening a long session, scrolling through it. */
export async function pages(bench: Workspace): Promise<Comparison[]> {
  if (!CHROMIUM) {
    bench.notes.add("The page was not measured: there is no Chromium.");
    return [];
  }
  if (spawnSync("fc-list", [":lang=ja"], { encoding: "utf8" }).stdout?.trim() === "") {
    bench.notes.add(
      "No font here has Japanese letters: the browser looks for one again for each, up to 40 ms a key (fonts-noto-cjk).",
    );
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--js-flags=--expose-gc"],
  });
  try {
    const small = bench.root("small", bench.sizes.small);
    const giant = bench.root("giant", bench.sizes.giant);
    const least: number[][] = [];
    const keys: number[][] = [];
    const openings: number[] = [];
    const leastOpenings: number[] = [];
    const heaps: number[] = [];
    const baseHeaps: number[] = [];
    const nodes: number[] = [];
    const ends: number[] = [];
    await bench.inRounds(
      `the page: ${KEYS} keys over ${small.title}, the end of ${giant.title}`,
      async () => {
        least.push(await inEmptyPage(browser));
        await withPage(bench, browser, small, async (page) => void keys.push(await typed(page)));
        await withPage(bench, browser, giant, async (page, devtools) => {
          baseHeaps.push(await heapOf(page, devtools));
          openings.push(await endOfSession(page));
          const scrolled = await scrolledThrough(page, devtools);
          heaps.push(scrolled.heap);
          nodes.push(scrolled.nodes);
          ends.push(scrolled.last);
        });
        leastOpenings.push(median(least.at(-1) ?? []));
      },
    );
    const against = {
      unit: "ms",
      against: "an empty page that shows what is typed",
      times: "as long",
    } as const;
    const key = `a key of the page over ${small.title}: results painted`;
    return [
      compare({
        ...against,
        what: `${key}, p50 of ${KEYS} keys`,
        measured: keys.map(median),
        base: least.map(median),
      }),
      compare({
        ...against,
        what: `${key}, p95`,
        measured: keys.map(p95),
        base: least.map(p95),
        goal: GOALS.results,
      }),
      compare({
        ...against,
        what: `the end of ${giant.title} painted, from the click`,
        measured: openings,
        base: leastOpenings,
        goal: GOALS.end,
      }),
      compare({
        what: `most memory of the page's script while it is scrolled through in ${STEPS} steps`,
        unit: "bytes",
        measured: heaps,
        against: "the list of sessions",
        base: baseHeaps,
        times: "as much",
      }),
      compare({
        what: "most elements of the page meanwhile",
        unit: "lines",
        measured: nodes,
        against: "at the session's end",
        base: ends,
        times: "as much",
      }),
    ];
  } finally {
    await browser.close();
  }
}

/** Opens the page on an indexed root, and waits until it has loaded. */
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
    await pause(LOOK_MS);
    await work(page, await context.newCDPSession(page));
  } finally {
    await context.close();
    server.kill();
    await once(server, "exit");
  }
}

/** Milliseconds from each key until its results are painted. */
async function typed(page: Page): Promise<number[]> {
  await page.evaluate(LISTEN);
  await page.locator(".query-input").focus();
  await typeQueries(page);
  return page.evaluate("times");
}

async function inEmptyPage(browser: Browser): Promise<number[]> {
  const page = await browser.newPage();
  await page.setContent('<input class="query-input"><p class="results" aria-busy="false"></p>');
  await page.evaluate(LISTEN);
  await page.evaluate(`document.querySelector("input").addEventListener("input", () => {
    document.querySelector("p").setAttribute("aria-busy", "false") })`);
  await page.locator(".query-input").focus();
  for (const letter of QUERIES.join("").slice(0, 50)) {
    await page.keyboard.insertText(letter);
    await pause(PACE_MS);
  }
  const times = await page.evaluate<number[]>("times");
  await page.close();
  return times;
}

/** Records when a letter was typed and when its results were painted: the list is marked as busy until then. */
const LISTEN = `
globalThis.times = [];
let began;
document.addEventListener("input", () => { began = performance.now(); }, true);
new MutationObserver(() => {
  if (began === undefined || document.querySelector(".results")?.getAttribute("aria-busy") !== "false") return;
  const from = began;
  began = undefined;
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
      await pause(PACE_MS);
    }
    await pause(LOOK_MS);
    await page.locator(".query-input").fill("");
    await pause(LOOK_MS);
  }
}

/** Milliseconds from the click on the only session until its last entry is painted. */
async function endOfSession(page: Page): Promise<number> {
  await page.evaluate(`
    globalThis.opened = new Promise((resolve) => {
      document.addEventListener("click", () => {
        const from = performance.now();
        const look = () => {
          const rows = document.querySelectorAll("[data-index]");
          const last = rows[rows.length - 1];
          const isThere = last && last.textContent.trim() !== "" && last.getBoundingClientRect().top < innerHeight
            && !document.querySelector(".row-waiting");
          if (isThere) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
          else requestAnimationFrame(look);
        };
        look();
      }, { capture: true, once: true });
    }); undefined`);
  await page.locator(".result-title").first().click();
  return page.evaluate("opened");
}

/** Peak memory and number of elements while scrolling through the session from its end to its start. */
async function scrolledThrough(
  page: Page,
  devtools: CDPSession,
): Promise<{ heap: number; nodes: number; last: number }> {
  let [heap, nodes] = [0, 0];
  const count = () => page.evaluate<number>("document.querySelectorAll('*').length");
  const last = await count();
  for (let step = 1; step <= STEPS; step++) {
    await page.evaluate(`scroller().scrollTop = scroller().scrollHeight * (1 - ${step / STEPS});
      function scroller() { return document.querySelector(".transcript-scroller"); }`);
    await page.locator(".row-waiting").first().waitFor({ state: "detached" });
    nodes = Math.max(nodes, await count());
    if (step % 20 === 0) heap = Math.max(heap, await heapOf(page, devtools));
  }
  return { heap, nodes, last };
}

/** Heap of the page's script after garbage collection, in bytes. */
async function heapOf(page: Page, devtools: CDPSession): Promise<number> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await page.evaluate("0");
  return usedSize;
}
