import { expect, test } from "vitest";
import { LatestRequest } from "../../../bin/picker/latest-request.ts";

/** Work that the test ends. */
function workshop() {
  const started: { request: number; signal: AbortSignal; end: () => void }[] = [];
  const latest = new LatestRequest<number>((request, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    started.push({ request, signal, end: resolve });
    return promise;
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { latest, started, settle };
}

test("while a request runs it is aborted, and only the newest of the later ones runs next", async () => {
  const { latest, started, settle } = workshop();
  latest.request(1);
  expect(started[0]?.signal.aborted).toBe(false);
  latest.request(2);
  latest.request(3);
  expect(started).toHaveLength(1); // one piece of work at a time
  expect(started[0]?.signal.aborted).toBe(true);
  started[0]?.end();
  await settle();
  expect(started.map(({ request }) => request)).toEqual([1, 3]);
  expect(started[1]?.signal.aborted).toBe(false);
  started[1]?.end();
  await settle();
  latest.request(4);
  expect(started.map(({ request }) => request)).toEqual([1, 3, 4]);
});
