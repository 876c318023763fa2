import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, serve as startServer } from "../../../bin/web/serve.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { BUILT_PAGE } from "../../built.ts";
import { addFile, settleShelves } from "../../library/hub/hub-files.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { startHub, type TestHub } from "../hub/hubs.ts";
import { signIn } from "./serve.ts";

/** A page in this process, and a browser that is signed in to it. */
interface Page {
  get(address: string): Promise<Response>;
  post(route: string, body: object): Promise<Response>;
}

async function signInTo(server: RunningServer): Promise<Page> {
  const link = server.createLink().href;
  const { key } = (await (await signIn(link)).json()) as { key: string };
  const { origin } = new URL(link);
  const headers = { authorization: `Bearer ${key}`, origin, "content-type": "application/json" };
  return {
    get: (address) =>
      fetch(`${origin}/api/${address}`, { headers: { authorization: headers.authorization } }),
    post: (route, body) =>
      fetch(`${origin}/api/${route}`, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const OMITTED = new Set(["machine", "person", "next", "resume", "secondsSinceWritten", "score"]);

describe.skipIf(!hasPostgres)("the page of a hub", () => {
  const closing = new AsyncDisposableStack();
  let hub: TestHub;
  let path: string;
  let local: Page;
  let remote: Page;

  beforeAll(async () => {
    const root = temporaryFolder({ onTestFinished: (clean) => closing.defer(clean as () => void) });
    const db = join(root, "index.db");
    path = join(root, "till.jsonl");
    const talk = session({ id: "till", cwd: "/home/ada/shop" }).user("Round the tax.");
    talk.label(talk.lastId, "done").tool("edit", { path: "src/tax.ts" }, "ok");
    talk.user([{ type: "image", data: PNG, mimeType: "image/png" }]).write(path);
    session({ id: "crow", cwd: "/home/ada/garden" }).user("Count the crows.").write(join(root, "crow.jsonl"));
    hub = closing.use(await startHub());
    await addFile(hub, hub.owner, path);
    await addFile(hub, hub.owner, join(root, "crow.jsonl"));
    await settleShelves(hub);
    const index = closing.use(await openIndex({ db, roots: [root] }));
    await index.sync();
    const start = async (options: Parameters<typeof startServer>[0]) => {
      const server = await startServer({ ...options, pageFolder: BUILT_PAGE });
      closing.defer(() => server.close());
      return signInTo(server);
    };
    local = await start({ db, roots: [root] });
    remote = await start({ hub: { url: hub.url, token: hub.owner.token } });
  });
  afterAll(() => closing.disposeAsync());

  /** An answer without what differs: machines and people, scores, cursors, and what depends on the local file. */
  const read = async (page: Page, address: string) => {
    const response = await page.get(address);
    const text = (await response.text()).replaceAll(`${hub.owner.machine}:`, "");
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const content = isJson
      ? JSON.parse(text, (name, value) => (OMITTED.has(name) ? undefined : value))
      : text;
    return { status: response.status, content };
  };

  test.each([
    "list",
    "list?title=tax",
    "list?limit=1",
    "search?query=tax",
    "search?query=rond",
    "search?query=file:tax.ts",
    "search?query=label:done",
    "facets",
    "facets?query=tax",
    "complete?query=project:sh",
    "candidates?session=t",
    "session?session=till",
    "session?session=none",
    "forks?session=till",
    "outline?session=till",
    "entries?session=till&lines=2-9",
    "previews?session=till&lines=2-9",
    "edits?session=till&lines=2-9",
    "hits?session=till&query=tax",
    "image?session=till&line=6&block=0",
    "usage?by=project",
    "usage.csv?by=model",
    "spend?session=till",
    "export?session=till&format=md",
    "export?session=till&format=html&all=true",
    "export?session=till&format=jsonl",
    "export?search=tax&format=md",
    "export?whole=true&format=jsonl",
    "export?session=till&session=till&format=md",
  ])("%s answers as the page of the files", async (address) => {
    expect(await read(remote, address)).toEqual(await read(local, address));
  });

  test("says whose sessions they are", async () => {
    expect(await (await remote.get("source")).json()).toMatchObject({ hub: new URL(hub.url).host });
    expect(await (await local.get("source")).json()).not.toHaveProperty("hub");
  });

  test.each([
    "scan?regex=tax",
    "changes",
    "doctor",
    "problems",
    "line?file=x&line=1&offset=0",
    "trashed",
    "hits?session=till&query=re:tax",
  ])("%s is refused, because it needs session files", async (address) => {
    const response = await remote.get(address);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: "BAD_OPTION", hint: expect.stringContaining("pidex pull") },
    });
  });

  test.each([
    ["rename", { session: "till", name: "x" }],
    ["label", { session: "till", entryId: "x", label: "x" }],
    ["pin", { session: "till", pinned: true }],
    ["archive", { session: "till", archived: true }],
    ["tag", { session: "till", tags: ["x"] }],
    ["trash", { session: "till" }],
    ["restore", { session: "till" }],
  ])("%s is refused", async (route, body) => {
    const response = await remote.post(route, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "BAD_OPTION" } });
  });

  test("a hub that cannot be reached is an error of the request, and the browser stays signed in", async () => {
    await using gone = await startServer({
      hub: { url: "http://127.0.0.1:1", token: "x" },
      pageFolder: BUILT_PAGE,
    }).then((server) => ({ server, [Symbol.asyncDispose]: () => server.close() }));
    const page = await signInTo(gone.server);
    const response = await page.get("list");
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "HUB_UNAVAILABLE" } });
    expect((await page.get("source")).status).toBe(200);
  });
});
