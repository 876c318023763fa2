/** Whether the list waits for complete results before it draws quick ones. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openPickerClient } from "../../../bin/picker/client.ts";
import type { PickerContext } from "../../../bin/picker/context.ts";
import { createState, type State } from "../../../bin/picker/model/state.ts";
import { PATIENCE, type Patience } from "../../../bin/picker/patience.ts";
import { ResultList } from "../../../bin/picker/result-list.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { VIEW } from "./sample-state.ts";

/** More sessions than a page of results has, all with the word in their title and in their text. */
const COUNT = 30;

/** Types a query, and returns what each draw showed, until the list waits for the next key. */
async function drawsOf(query: string, patience: Patience): Promise<State["results"][]> {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (let n = 0; n < COUNT; n++)
    session({ id: `s${n}` })
      .user(`Walrus ${n}`)
      .assistant("A walrus, again.")
      .writeUnder(root);
  const location = { db: join(folder, "index.db"), roots: [root] };
  const index = await openIndex(location);
  await index.sync();
  await index.close();
  const client = openPickerClient(location, () => {});
  onTestFinished(() => client.close());
  const state = { ...createState(VIEW), isSyncing: false };
  const draws: State["results"][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const redrawNow = () => {
    draws.push(state.results);
    if (!state.isLoading) resolve();
  };
  const context = {
    ...{ state, client, settings: { preview: "off" } },
    screen: { size: { columns: 80, rows: 24 }, redraw: () => {}, redrawNow },
    onRowsChanged: () => {},
    showError: (error: unknown) => {
      throw error;
    },
  } as unknown as PickerContext;
  const list = new ResultList(context, patience);
  list.setView({ query });
  await promise;
  list.close();
  return draws;
}

const withoutHits = ({ rows }: State["results"]) => rows.filter(({ hits }) => hits.length === 0).length;
const now = () => 0;

test("complete results that come in time are drawn alone, with the hits of sessions that match by title", async () => {
  const draws = await drawsOf("walrus", { now, wait: (work) => work });
  expect(draws.map(({ rows }) => rows.length)).toEqual([COUNT]);
  expect(draws.map(withoutHits)).toEqual([0]);
});

test("quick results are drawn if complete ones take too long, and are not waited for if the quick ones did", async () => {
  const [late] = await drawsOf("walrus", { now, wait: async () => undefined });
  expect(late && withoutHits(late)).toBeGreaterThan(0);
  let clock = 0;
  const slow: Patience = {
    now: () => {
      clock += 1000;
      return clock;
    },
    wait: () => Promise.reject(new Error("the list waited")),
  };
  const [drawn] = await drawsOf("walrus", slow);
  expect(drawn && withoutHits(drawn)).toBeGreaterThan(0);
});

test("a wait ends with the work, or after a moment", async () => {
  expect(await PATIENCE.wait(Promise.resolve("done"))).toBe("done");
  expect(await PATIENCE.wait(new Promise(() => {}))).toBeUndefined();
});
