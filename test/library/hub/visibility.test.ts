import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type HubIndex, openIndex, PidexError } from "../../../library/index.ts";
import { type SignedIn, startHub, type TestHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { addFile, openAs } from "./hub-files.ts";

/** In every text of a session that others may not see. */
const CANARY = "zanzibar";
const ID = `019c4bef-ebb8-7000-8000-${CANARY}`;

type Ask = (index: HubIndex, path: string) => unknown;

/** Every method, asked for everything, and for a session of somebody else. */
const QUESTIONS: Record<string, Ask> = {
  list: (index) => index.list(`/home/ada/${CANARY}`),
  listAll: (index) => index.listAll({ subagents: "yes", archived: "yes" }),
  listSummaries: (index) => index.listSummaries({ subagents: "yes" }),
  listThreads: (index) => index.listThreads({ subagents: "yes", limit: 1 }),
  "listAll by tag": (index) => index.listAll({ tags: ["*"] }),
  "find by path": (index, path) => index.find(path),
  "find by id": (index) => index.find(ID),
  "find by the beginning of an id": (index) => index.find("019c4bef"),
  "find @last": (index) => index.find("@last"),
  search: (index) => index.search(CANARY),
  "search with facets": (index) => index.search("the", { facets: true }),
  "search with a typo": (index) => index.search(`${CANARY}r`),
  "search for a prefix": (index) => index.search("zanz*"),
  searchEntries: (index) => index.searchEntries("role:user"),
  ...Object.fromEntries(
    ["project:", "name:", "label:", "tag:", "tool:", "model:", "provider:", "cwd:", "agent:"].map(
      (text): [string, Ask] => [`complete ${text}`, (index) => index.complete(text)],
    ),
  ),
  files: (index) => index.files("*"),
  "files of a path": (index) => index.files(`${CANARY}.ts`),
  labels: (index) => index.labels(),
  problems: (index) => index.problems(),
  ...Object.fromEntries(
    (["tree", "treeEntries", "outline", "forks", "branch", "labels", "problems", "context"] as const).map(
      (method): [string, Ask] => [`${method} of a session`, (index, path) => index[method](path)],
    ),
  ),
  entry: (index, path) => index.entry(path, "00000001"),
  children: (index, path) => index.children(path, "00000001"),
  entries: (index, path) => Array.fromAsync(index.entries(path, { branch: "all" })),
};

/** The answer, or the error, as text. What a question itself contains may be in its error. */
async function answerOf(ask: Ask, index: HubIndex, path: string): Promise<string> {
  try {
    return JSON.stringify(await ask(index, path));
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return `${error.code} ${error.message.replaceAll(path, "PATH").replaceAll(ID, "ID")} ${error.hint}`;
  }
}

describe.skipIf(!hasPostgres)("on a hub", () => {
  const closing = new AsyncDisposableStack();
  let hub: TestHub;
  let bob: SignedIn;
  /** Of ada's private session, and of her session of a project, on the hub. */
  let privatePath: string;
  let teamPath: string;
  const open = async (as: SignedIn) => closing.use(await openAs(hub, as));

  beforeAll(async () => {
    hub = closing.use(await startHub());
    bob = await hub.add("bob", "member");
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    const write = (name: string, id: string) => {
      const path = join(folder, `${CANARY}-${name}.jsonl`);
      const talk = session({ id, cwd: `/home/ada/${CANARY}` }).user(`the ${CANARY} total`);
      talk
        .label(talk.lastId, CANARY)
        .tool("read", { path: `src/${CANARY}.ts` }, `error ${CANARY}`, { isError: true })
        .assistant(`the ${CANARY}`, { model: `model-${CANARY}`, provider: `provider-${CANARY}` })
        .name(`name ${CANARY}`)
        .write(path);
      return path;
    };
    privatePath = write("private", ID);
    await addFile(hub, hub.owner, privatePath);
    teamPath = write("team", "5eaf00d5-team");
    await addFile(hub, hub.owner, teamPath, { project: "shop" });
    privatePath = `${hub.owner.machine}:${privatePath}`;
    teamPath = `${hub.owner.machine}:${teamPath}`;
  });
  afterAll(() => closing.disposeAsync());

  describe.each(["figures", "auditor"] as const)("somebody with the role %s", (role) => {
    let index: HubIndex;
    let empty: HubIndex;
    beforeAll(async () => {
      index = await open(await hub.add(`eve-${role}`, role));
      const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
      closing.defer(() => rmSync(folder, { recursive: true }));
      const local = closing.use(await openIndex({ db: join(folder, "index.db"), roots: [folder] }));
      empty = local as unknown as HubIndex;
    });

    test.each(Object.entries(QUESTIONS))("gets the answer of an empty index: %s", async (_, ask) => {
      for (const path of [privatePath, teamPath]) {
        expect(await answerOf(ask, index, path)).toBe(await answerOf(ask, empty, path));
      }
    });
  });

  test.each(Object.entries(QUESTIONS))(
    "a member sees nothing of a private session of an owner: %s",
    async (_, ask) => {
      const [ofBob, ofAda] = [await open(bob), await open(hub.owner)];
      const text = await answerOf(ask, ofBob, privatePath);
      expect(text).not.toMatch(new RegExp(`${ID}|${CANARY}-private`));
      expect(await answerOf(ask, ofAda, privatePath)).not.toMatch(/^NOT_FOUND PATH/);
    },
  );

  test("a cursor of somebody else's list continues among one's own sessions only", async () => {
    const ofAda = await open(hub.owner);
    const { next, total } = await ofAda.listAll({ limit: 1 });
    expect([total, typeof next]).toEqual([2, "string"]);
    const { sessions } = await (await open(bob)).listAll({ limit: 1, cursor: next as string });
    expect(JSON.stringify(sessions)).not.toContain(`${CANARY}-private`);
  });

  test("the audit log has reads of the team's sessions, once, and none of private ones or of words", async () => {
    const carol = await hub.add("carol", "member");
    const index = await open(carol);
    for (let n = 0; n < 2; n++) await Array.fromAsync(index.entries(teamPath));
    await index.search(`${CANARY} secretword`);
    const ofAda = await open(hub.owner);
    await Array.fromAsync(ofAda.entries(privatePath));
    const { rows } = await hub.pool.query(
      "SELECT person, action, target FROM audit WHERE action IN ('read', 'search') AND person IN ('carol', 'ada') ORDER BY id",
    );
    expect(rows.filter(({ person }) => person === "carol")).toEqual([
      { person: "carol", action: "read", target: teamPath },
      { person: "carol", action: "search", target: "" },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/-private|secretword/);
  });
});
