import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { IndexClient } from "../../../bin/pi/index-client.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { indexProcesses } from "./index-processes.ts";

const CLIENT = join(import.meta.dirname, "../../../bin/pi/index-client.ts");
const currentSession = {};
let db = "";
let roots = "";

beforeEach((context) => {
  const folder = temporaryFolder(context);
  db = join(folder, "index.db");
  roots = join(folder, "sessions");
  session({}).user("Why is the lighthouse dark?").write(join(roots, "lamps.jsonl"));
  vi.stubEnv("PIDEX_DB", db);
  vi.stubEnv("PIDEX_ROOTS", roots);
  context.onTestFinished(() => void vi.unstubAllEnvs());
});

function openClient(times: Partial<ConstructorParameters<typeof IndexClient>[0]> = {}): {
  client: IndexClient;
  notices: string[];
} {
  const notices: string[] = [];
  const client = new IndexClient({ onNotice: (notice) => notices.push(notice), ...times });
  const haveEnded = indexProcesses();
  onTestFinished(() => {
    client.close();
    return haveEnded();
  });
  return { client, notices };
}

test("a process that dies is reported, and the next request starts another", async () => {
  const { client } = openClient();
  const pending = client.request("search", { query: "lighthouse" }, { currentSession });
  await waitUntil("there is a process", () => client.pid !== undefined);
  process.kill(client.pid as number, "SIGKILL");
  await expect(pending).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE", message: /SIGKILL/ });
  expect(client.pid).toBeUndefined();
  const { data } = await client.request("search", { query: "lighthouse" }, { currentSession });
  expect(data.sessions.map(({ session }) => session.path)).toEqual([join(roots, "lamps.jsonl")]);

  const wrong = client.request("search", { query: "(" }, { currentSession });
  await expect(wrong).rejects.toMatchObject({ name: "PidexError", code: "BAD_QUERY" });
  const stop = new AbortController();
  const stopped = client.request("list", {}, { currentSession, signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve)); // the request is in transit
  stop.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");

  // The final writes are indexed in the background.
  session({ timestamp: "2026-02-01T09:00:00.000Z" }).user("And now?").write(join(roots, "later.jsonl"));
  client.close();
  const index = await openIndex({ db, roots: [roots] });
  onTestFinished(() => index.close());
  await waitUntil("it is indexed", async () => (await index.stats()).sessions === 2);
  expect(client.pid).toBeUndefined();
  await expect(client.request("list", {}, { currentSession })).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
  });
});

test("writes are indexed without a request, and the process ends when idle", async () => {
  const { client, notices } = openClient({ syncAfter: 0, idle: 1 });
  client.scheduleSync();
  const index = await openIndex({ db, roots: [roots] });
  onTestFinished(() => index.close());
  await waitUntil("it is indexed", async () => (await index.stats()).sessions === 1);
  await waitUntil("it is let go", () => client.pid === undefined);
  expect(notices).toEqual([]);
});

test("the client process stays until the response, and can exit after it", async () => {
  const script = `
    import { IndexClient } from ${JSON.stringify(CLIENT)};
    const client = new IndexClient({ onNotice: console.log });
    const { data } = await client.request("list", {}, { currentSession: {} });
    console.log(data.total);
    process.on("exit", () => console.log(client.pid !== undefined));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  expect(stdout).toBe("1\ntrue\n");
});
