/** The index host: requests, streams and callbacks through messages, in a thread and in a process. */
import { expect, onTestFinished, test } from "vitest";
import { Host } from "../../library/host/host.ts";
import { startProcess } from "../../library/host/process.ts";
import { startThread } from "../../library/host/thread.ts";
import { PidexError } from "../../src/errors.ts";
import { waitUntil } from "../until.ts";
import type { TestService } from "./host-program.ts";

const PROGRAM = new URL("./host-program.ts", import.meta.url);
const START = {
  thread: () => startThread(PROGRAM),
  process: () => startProcess(PROGRAM, process.execPath),
};

function openHost(where: keyof typeof START, more: { service?: string; idleMs?: number } = {}) {
  const notices: string[] = [];
  const host = new Host<TestService>({
    start: START[where],
    service: "test",
    options: { name: "books" },
    onNotice: (notice) => notices.push(notice),
    ...more,
  });
  onTestFinished(() => host.close());
  return { host, notices };
}

const PLACES = ["thread", "process"] as const;

test.each(PLACES)(
  "a %s is started by the first request, and passes on the notices of its service",
  async (where) => {
    const { host, notices } = openHost(where);
    expect(host.isRunning).toBe(false);
    expect(await host.call("add", 1, 2)).toBe(3);
    expect(host.isRunning).toBe(true);
    expect(notices).toEqual(["opened books"]);
  },
);

test.each(PLACES)("an error in a %s is thrown with its code, hint, stack and cause", async (where) => {
  const { host } = openHost(where);
  const error = await host.call("fail").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(PidexError);
  expect(error).toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    hint: "Make room.",
    message: "it cannot be written",
  });
  expect((error as Error).stack).toContain("host-program");
  expect((error as Error).cause).toMatchObject({ message: "disk full", code: "ENOSPC" });
});

test.each(PLACES)(
  "a signal rejects immediately with its reason, and reaches the method in the %s",
  async (where) => {
    const { host } = openHost(where);
    const stop = new AbortController();
    const started = Promise.withResolvers<void>();
    const waiting = host.call("wait", { signal: stop.signal, onStart: started.resolve });
    await started.promise;
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await waitUntil("the method has seen it", () => host.call("wasAborted"));
    await expect(host.call("wait", { signal: stop.signal })).rejects.toThrow("enough");
  },
);

test("a request that is aborted while another one blocks the thread is not started", async () => {
  const { host } = openHost("thread");
  await host.start();
  const stop = new AbortController();
  const first = host.call("spin", 50);
  const second = host.call("wait", { signal: stop.signal });
  const third = host.call("spin", 1);
  stop.abort();
  await expect(second).rejects.toThrow(/abort/i);
  expect([await first, await third]).toEqual(["spun 50", "spun 1"]);
  expect(await host.call("wasAborted")).toBe(false);
  expect(await host.call("started")).toEqual(["spin 50", "spin 1"]);
});

test.each(PLACES)(
  "a stream yields all items in order, and returns the result of the method in the %s",
  async (where) => {
    const { host } = openHost(where);
    const stream = host.stream("count", 100, {});
    const numbers: number[] = [];
    let next = await stream.next();
    for (; !next.done; next = await stream.next()) numbers.push(next.value);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(next.value).toBe("all");
  },
);

test.each(PLACES)(
  "a stream is produced as it is read, and stops in the %s when its reader stops",
  async (where) => {
    const { host } = openHost(where);
    for await (const number of host.stream("count", 1_000_000, {})) if (number === 5) break;
    await waitUntil("the generator has ended", async () =>
      (await host.call("started")).includes("count ended"),
    );
    expect(await host.call("counted")).toBeLessThan(50);
  },
);

test("a stream that is aborted rejects with the reason", async () => {
  const { host } = openHost("thread");
  const stop = new AbortController();
  const read = async () => {
    for await (const number of host.stream("count", 1_000_000, { signal: stop.signal }))
      if (number === 5) stop.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
  expect(await host.call("counted")).toBeLessThan(50);
});

test("progress is throttled, errors passed to callbacks keep their code, and a callback that throws fails its request", async () => {
  const { host } = openHost("thread");
  const progress: number[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  await host.call("report", { onProgress: (n) => void progress.push(n), onError });
  expect(progress[0]).toBe(0);
  expect(progress.length).toBeLessThan(500);
  expect(errors).toEqual([expect.objectContaining({ name: "PidexError", code: "NOT_FOUND" })]);
  const broken = () => {
    throw new Error("no room for errors");
  };
  await expect(host.call("report", { onError: broken })).rejects.toThrow("no room for errors");
  expect(await host.call("add", 1, 2)).toBe(3);
});

test.each(PLACES)(
  "a %s that ends rejects its requests, and the next request starts another",
  async (where) => {
    const { host, notices } = openHost(where);
    const waiting = host.call("wait", {});
    await expect(host.call("exit", 3)).rejects.toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      message: "the index process stopped: exit 3",
    });
    await expect(waiting).rejects.toThrow("exit 3");
    expect(host.isRunning).toBe(false);
    expect(await host.call("add", 1, 2)).toBe(3);
    expect(notices).toEqual(["opened books", "opened books"]);
  },
);

test("an uncaught error rejects only the requests of its thread", async () => {
  const { host } = openHost("thread");
  const reading = (async () => {
    for await (const _ of host.stream("count", 1000, {})) await host.call("crash").catch(() => {});
  })();
  await expect(reading).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    message: "the index process stopped: out of memory",
  });
  expect(await host.call("add", 1, 2)).toBe(3);
});

test.each(PLACES)(
  "a service that cannot be opened rejects every request, and the %s keeps running",
  async (where) => {
    const { host } = openHost(where, { service: "failing" });
    for (let n = 0; n < 2; n++) {
      await expect(host.call("add", 1, 2)).rejects.toMatchObject({
        code: "DATABASE_UNAVAILABLE",
        message: "books cannot be opened",
      });
    }
    expect(host.isRunning).toBe(true);
  },
);

test("a program that cannot be started rejects every request", async () => {
  const host = new Host<TestService>({
    start: () => startThread(new URL("./no-such-program.ts", import.meta.url)),
    service: "test",
    options: {},
  });
  for (let n = 0; n < 2; n++)
    await expect(host.call("add", 1, 2)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});

test.each(PLACES)("closing rejects pending requests in the %s, and later ones", async (where) => {
  const { host } = openHost(where);
  await host.start();
  const waiting = host.call("wait", {});
  const reading = host.stream("count", 10, {}).next();
  const refused = expect(Promise.all([waiting, reading])).rejects.toThrow("the index is closed");
  await new Promise((resolve) => setImmediate(resolve)); // they are in transit
  await host.close();
  await refused;
  expect(host.isRunning).toBe(false);
  await expect(host.call("add", 1, 2)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  await host.close();
});

test("a busy thread is not terminated: it closes its service first", async () => {
  const memory = new SharedArrayBuffer(8);
  const state = new Int32Array(memory);
  const host = new Host<TestService>({
    start: START.thread,
    service: "test",
    options: { name: "books", state: memory },
  });
  const spinning = expect(host.call("spin", 1_000)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  await waitUntil("it spins", () => state[0] === 1);
  await host.close();
  await spinning;
  expect(state[1]).toBe(1);
});

test("a blocked thread can be ended", async () => {
  const { host } = openHost("thread");
  await host.call("add", 1, 2);
  const spinning = host.call("spin", 3_600_000);
  await new Promise((resolve) => setImmediate(resolve));
  const ended = expect(spinning).rejects.toThrow("the index is closed");
  await host.close();
  await ended;
});

test("an idle host is ended", async () => {
  const { host } = openHost("thread", { idleMs: 1 });
  expect(await host.call("add", 1, 2)).toBe(3);
  await waitUntil("it is let go", () => !host.isRunning);
  expect(await host.call("add", 1, 2)).toBe(3);
});
