/** Every route and every query as every person: nothing of a private shelf of somebody else is in an answer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { type SignedIn, startHub, type TestHub, toAppend } from "./hubs.ts";

/** In every text of the private session. */
const CANARY = "zanzibar";
const ID = `019c4bef-ebb8-7000-8000-${CANARY}`;
const PATH = `/home/ben/${CANARY}.jsonl`;
const MACHINE_PATH = `ben-laptop:${PATH}`;
const SHELVES = "1,2,3'; SET pidex.shelves = '{1,2,3,4,5,6}'; --";

/** Every query of the hub, with what would find the session. */
function listQueries(shelf: number): [method: string, args: unknown[]][] {
  const sessions = [MACHINE_PATH, PATH, ID, ID.slice(0, 8), "@last", SHELVES, String(shelf)];
  const texts = [
    CANARY,
    "zanz*",
    "zanzibra",
    "the",
    `machine:ben-laptop`,
    "person:ben",
    SHELVES,
    "role:user",
  ];
  const entry = "00000001";
  return [
    ...[`/home/ben/${CANARY}`, SHELVES].map((cwd): [string, unknown[]] => ["list", [cwd, { limit: 1000 }]]),
    ...[{}, { tags: ["*"] }, { machine: "ben-laptop" }, { person: "ben" }, { machine: SHELVES }].map(
      (options): [string, unknown[]] => [
        "listAll",
        [{ limit: 1000, subagents: "yes", archived: "yes", ...options }],
      ],
    ),
    ...texts.flatMap((text): [string, unknown[]][] => [
      ["search", [text, { facets: true }]],
      ["searchEntries", [text, {}]],
      ["files", [text]],
    ]),
    ...["project:", "name:", "label:", "tag:", "tool:", "model:", "provider:", "cwd:", "machine:", "zan"].map(
      (text): [string, unknown[]] => ["complete", [text, text.length]],
    ),
    ...sessions.flatMap((text): [string, unknown[]][] => [
      ...["find", "treeEntries", "outline", "forks", "labels", "problems", "spend", "entries"].map(
        (method): [string, unknown[]] => [method, [text]],
      ),
      ...["branch", "children", "entry", "context"].map((method): [string, unknown[]] => [
        method,
        [text, entry],
      ]),
      ["context", [text, null]],
      ["usage", [{ session: text }]],
      ["spending", [{ now: "2026-01-20T10:00:00Z", session: text }]],
      ["spending", [{ now: "2026-01-20T10:00:00Z", cwd: text, budgets: ["1/year project:notes"] }]],
      ["usageEvents", [{ session: text }]],
    ]),
    ...["session", "project", "model", "provider", "machine", "person", "tool", "agent"].map(
      (by): [string, unknown[]] => ["usage", [{ by: [by] }]],
    ),
    ["usage", [{ machine: "ben-laptop" }]],
    ["usage", [{ person: SHELVES, cwd: SHELVES }]],
    ["usageEvents", [{}]],
    ["stats", []],
  ];
}

/** Of an answer without what the question had, and without times. */
function cleaned(text: string, question: string): string {
  const texts = [...question.matchAll(/"((?:[^"\\]|\\.)+)"/g)].map(([, inner]) => inner as string);
  return texts
    .sort((a, b) => b.length - a.length)
    .reduce((rest, each) => rest.replaceAll(JSON.stringify(each).slice(1, -1), "").replaceAll(each, ""), text)
    .replaceAll(/"(?:databaseBytes|bytes|cursor|next)":[^,}]+/g, "");
}

describe.skipIf(!hasPostgres)("a private session of a member", () => {
  const closing = new AsyncDisposableStack();
  let hub: TestHub;
  let ben: SignedIn;
  let people: Record<"owner" | "member" | "figures" | "auditor" | "revoked" | "removed", SignedIn>;
  let file: { id: number; shelf: number };
  const before = new Map<string, string>();

  const ask = async ({ client }: SignedIn, method: string, args: unknown[]) => {
    const accept = [400, 401, 403, 404, 409, 429, 500];
    const response = await client.request("POST", "v1/query", { body: { method, args }, accept });
    return { status: response.status, text: await response.text() };
  };
  const readers = ["owner", "member", "figures", "auditor"] as const;

  beforeAll(async () => {
    hub = closing.use(await startHub());
    ben = await hub.add("ben", "member");
    people = {
      owner: hub.owner,
      member: await hub.add("eve", "member"),
      figures: await hub.add("kim", "figures"),
      auditor: await hub.add("lou", "auditor"),
      revoked: await hub.add("max", "owner"),
      removed: await hub.add("ned", "owner"),
    };
    await hub.owner.client.request("DELETE", "v1/machines/max-laptop");
    await hub.owner.client.request("DELETE", "v1/members/ned");
    // The answers before the session is there, to compare.
    for (const role of readers) {
      for (const [method, args] of listQueries(2))
        before.set(
          `${role} ${method} ${JSON.stringify(args)}`,
          JSON.stringify(await ask(people[role], method, args)),
        );
    }
    const talk = session({ id: ID, cwd: `/home/ben/${CANARY}` }).user(`the ${CANARY} total`);
    talk
      .label(talk.lastId, CANARY)
      .tool(`tool${CANARY}`, { path: `src/${CANARY}.ts` }, `error ${CANARY}`, { isError: true })
      .assistant(`the ${CANARY}`, { model: `model-${CANARY}`, provider: `provider-${CANARY}` })
      .name(`name ${CANARY}`);
    const { header, bytes } = toAppend(PATH, talk.bytes());
    await ben.client.append(header, bytes);
    const { rows } = await hub.pool.query("SELECT id, shelf FROM file");
    file = rows[0];
  });
  afterAll(() => closing.disposeAsync());

  test("is found by its own person with these questions", async () => {
    for (const method of ["find", "entries", "spend", "outline"]) {
      expect([method, (await ask(ben, method, [MACHINE_PATH])).status]).toEqual([method, 200]);
    }
    expect((await ask(ben, "search", [CANARY, {}])).text).toContain(ID);
    expect((await ask(ben, "find", [ID.slice(0, 8)])).text).toContain(ID);
  });

  test.each(readers)("changes no answer of a query for another person: %s", async (role) => {
    const statuses = new Set<number>();
    for (const [method, args] of listQueries(2)) {
      const key = `${role} ${method} ${JSON.stringify(args)}`;
      const { status, text } = await ask(people[role], method, args);
      statuses.add(status);
      expect([key, status === 500]).toEqual([key, false]);
      expect([key, cleaned(text, JSON.stringify(args))]).toEqual([key, expect.not.stringContaining(CANARY)]);
      if (method !== "stats") expect([key, JSON.stringify({ status, text })]).toEqual([key, before.get(key)]);
      else expect([key, JSON.parse(text).value.sessions]).toEqual([key, 0]);
    }
    expect(statuses).toContain(200);
    expect(statuses).toContain(404);
  });

  test.each(["revoked", "removed"] as const)("is not asked for by a machine that is %s", async (who) => {
    const routes = ["me", "status", "own", `own/${file.id}`, "members", "machines", "audit", "retention"];
    for (const route of routes) {
      const { status } = await people[who].client.request("GET", `v1/${route}`, { accept: [401, 429] });
      expect([route, status === 401 || status === 429]).toEqual([route, true]);
    }
    for (const method of ["listAll", "find", "stats"]) {
      expect([401, 429]).toContain((await ask(people[who], method, method === "find" ? [ID] : [])).status);
    }
  });

  test.each(readers)("has bytes only for its own person, whatever the id: %s", async (role) => {
    for (let id = file.id - 3; id < file.id + 5; id++) {
      const accept = [404];
      const { status } = await people[role].client.request("GET", `v1/own/${id}`, { accept });
      expect([id, status]).toEqual([id, 404]);
    }
    for (const id of [
      "0",
      "-1",
      "1.0",
      `${file.id}%20`,
      `${file.id}e0`,
      "NaN",
      "9999999999",
      `${file.id}%00`,
      SHELVES,
    ]) {
      const path = `v1/own/${encodeURI(id)}`;
      expect((await people[role].client.request("GET", path, { accept: [400, 404] })).ok).toBe(false);
    }
    expect(await people[role].client.files([PATH])).toMatchObject([{ cursor: 0, shelf: null }]);
    expect(await people[role].client.forget([PATH, MACHINE_PATH])).toBe(0);
    for (const text of [ID, PATH, MACHINE_PATH, ID.slice(0, 8)]) {
      const body = { sessions: [text], dryRun: false };
      const accept = [404, 403];
      const refused = await people[role].client.request("POST", "v1/forget-sessions", { body, accept });
      expect([text, refused.ok]).toEqual([text, false]);
    }
    for (const route of ["status", "machines", "members", "audit", "retention", "own"]) {
      const response = await people[role].client.request("GET", `v1/${route}`, { accept: [403] });
      expect([route, await response.text()]).toEqual([route, expect.not.stringContaining(CANARY)]);
    }
    expect((await hub.pool.query("SELECT 1 FROM file")).rows.length).toBe(1);
  });

  test("is not named by the audit log when its person fetches and deletes it", async () => {
    expect((await Array.fromAsync(ben.client.ownBytes(file.id, 0))).length).toBeGreaterThan(0);
    expect(await ben.client.forget([PATH])).toBe(1);
    const { header, bytes } = toAppend(PATH, session({ id: ID }).user("again").bytes());
    await ben.client.append(header, bytes);
    await ben.client.request("POST", "v1/forget-sessions", { body: { sessions: [ID], dryRun: false } });
    for (const role of ["owner", "auditor"] as const) {
      const text = await (await people[role].client.request("GET", "v1/audit")).text();
      expect(text).toContain('"forget"');
      expect(text).not.toContain(CANARY);
    }
  });
});
