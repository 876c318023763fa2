/** The list with a client that answers when the test says so. */
import { expect, test } from "vitest";
import type { PickerContext } from "../../../bin/picker/context.ts";
import type { Results } from "../../../bin/picker/model/view.ts";
import { ResultList } from "../../../bin/picker/result-list.ts";
import { createSampleState, sampleRow, VIEW } from "./sample-state.ts";

const TOTAL = 100;
const rows = (count: number) => Array.from({ length: count }, (_, n) => sampleRow({ path: `/${n}.jsonl` }));
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A list that shows the first 20 of 100 sessions. */
function openList() {
  const state = createSampleState([]);
  const first: Results = { view: { ...VIEW }, rows: rows(20), total: TOTAL, hasMore: false, next: "20" };
  state.results = first;
  const calls: { params: { quick: boolean; next?: string }; answer: (results: Results) => void }[] = [];
  const picker = {
    state,
    client: {
      call: (method: string, params: never) =>
        method === "results"
          ? new Promise((answer) => calls.push({ params, answer }))
          : Promise.resolve(undefined),
    },
    screen: { size: { rows: 30, columns: 90 }, redraw() {}, redrawNow() {} },
    settings: { preview: "off" },
    showErrors: (work: Promise<unknown>) => work,
    onRowsChanged() {},
  } as unknown as PickerContext;
  return { list: new ResultList(picker), state, calls, first };
}

test("the rest of the list is loaded once the results that were requested before are here", async () => {
  const { list, state, calls, first } = openList();
  list.reload();
  const rest = list.loadRest();
  await settle();
  expect(calls).toHaveLength(1);
  calls[0]?.answer({ ...first, view: { ...VIEW }, rows: rows(30), next: "30" });
  await settle();
  expect(calls[1]?.params).toMatchObject({ next: "30" });
  calls[1]?.answer({ ...first, rows: rows(TOTAL).slice(30), next: undefined });
  expect(await rest).toBe(true);
  expect(state.results.rows).toHaveLength(TOTAL);
});

test("quick results are completed at once, and the rest of the complete ones is loaded", async () => {
  const { list, state, calls, first } = openList();
  list.setView({ query: "till" });
  const view = { ...VIEW, query: "till" };
  calls[0]?.answer({ ...first, view, hasMore: true });
  await settle();
  const rest = list.loadRest();
  await settle();
  expect(calls[1]?.params).toMatchObject({ quick: false });
  expect(calls[1]?.params.next).toBeUndefined();
  calls[1]?.answer({ ...first, view: { ...view } });
  await settle();
  calls[2]?.answer({ ...first, rows: rows(TOTAL).slice(20), next: undefined });
  expect(await rest).toBe(true);
  expect(state.results.rows).toHaveLength(TOTAL);
  list.close();
});

test("results that replace the list while its rest is loaded have their rest loaded", async () => {
  const { list, state, calls, first } = openList();
  const rest = list.loadRest();
  await settle();
  expect(calls[0]?.params).toMatchObject({ next: "20" });
  list.reload();
  calls[1]?.answer({ ...first, rows: rows(25), next: "25" });
  await settle();
  calls[0]?.answer({ ...first, rows: rows(TOTAL).slice(20), next: undefined });
  await settle();
  expect(calls[2]?.params).toMatchObject({ next: "25" });
  calls[2]?.answer({ ...first, rows: rows(TOTAL).slice(25), next: undefined });
  expect(await rest).toBe(true);
  expect(state.results.rows).toHaveLength(TOTAL);
});
