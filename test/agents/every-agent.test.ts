import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { agentHome, titleSlot, writeHome } from "../../fixtures/agents.ts";
import { openIndex } from "../../library/index.ts";
import { pidex } from "../bin/cli.ts";
import { temporaryFolder } from "../temporary.ts";
import { waitUntil } from "../until.ts";
import { computeExpectedContent, type PlainSession } from "./expected-content.ts";

const NOT_OURS = [
  "PIDEX_ROOTS",
  "PIDEX_DB",
  "PI_CODING_AGENT_DIR",
  "PI_CODING_AGENT_SESSION_DIR",
  "ATOMIC_CODING_AGENT_DIR",
  "PRIME_AGENT_CODING_AGENT_DIR",
  "PRIME_AGENT_SESSION_DIR",
  "PRIME_AGENT_CODING_AGENT_SESSION_DIR",
  "OPENCLAW_STATE_DIR",
  "CLAWDBOT_STATE_DIR",
  "GSD_HOME",
  "PI_CONFIG_DIR",
  "XDG_DATA_HOME",
  "PIDEX_EXCLUDE",
];

let home = "";
let databases = 0;
beforeEach(() => {
  home = temporaryFolder();
  for (const name of NOT_OURS) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", home);
  vi.stubEnv("TMPDIR", join(home, "tmp"));
  onTestFinished(() => void vi.unstubAllEnvs());
  writeHome(home, agentHome());
});

const opened = async () => {
  const index = await openIndex({ db: join(home, "index.db") });
  onTestFinished(() => index.close());
  await index.sync();
  return index;
};

/** The same figures as `computeExpectedContent`, computed by pidex. */
async function pidexAccount(): Promise<PlainSession[]> {
  const index = await opened();
  const { sessions } = await index.listAll({ subagents: "yes", archived: "yes" });
  const rows = async (text: string) =>
    Array.fromAsync(
      (await index.sql(text)).rows,
      (row) => Object.values(row) as [path: string, value: unknown],
    );
  const costs = new Map(await rows("SELECT path, sum(cost_nano_usd) FROM billed_events GROUP BY path"));
  const touches = Map.groupBy(
    await rows("SELECT DISTINCT path, action || ' ' || file FROM touched_files"),
    ([path]) => path,
  );
  return sessions
    .map(({ path, agent, id, name, entryCount, provider, model }) => ({
      path,
      agent: agent ?? "",
      id,
      name: name ?? null,
      entries: entryCount,
      provider: provider ?? null,
      model: model ?? null,
      cost: Number(costs.get(path) ?? 0),
      touched: (touches.get(path) ?? []).map(([, touch]) => String(touch)).sort(),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

describe("a home folder with sessions of every agent", () => {
  test("is found without options, and results match the files", async () => {
    const plain = computeExpectedContent(home);
    expect(new Set(plain.map(({ agent }) => agent)).size).toBe(7);
    expect(plain).toHaveLength(12);
    expect(await pidexAccount()).toEqual(plain);
  });

  test("has only the problems of the fixtures", async () => {
    expect(await (await opened()).problems()).toEqual([]);
  });
});

describe("child usage reported by a prime-agent parent", () => {
  const folder = () => join(home, ".prime/agent");
  const parent = () => join(folder(), "sessions/01970000-aaaa-7000-8000-000000000005.jsonl");
  const child = () =>
    computeExpectedContent(home).find(({ path }) => path.includes("sub-aaaa1111"))?.path ?? "";
  const findAttributions = async (index: Awaited<ReturnType<typeof opened>>) => {
    const { rows } = await index.sql(
      `SELECT attribution FROM events WHERE kind = 'subagent' AND path LIKE '%-aaaa-%'`,
    );
    return (await Array.fromAsync(rows)).flat();
  };
  const cost = async (index: Awaited<ReturnType<typeof opened>>) => (await index.usage()).total.costNanoUsd;

  test("is counted while the child's own session is missing", async () => {
    const [from, away] = [child(), join(home, "away.jsonl")];
    renameSync(from, away);
    const index = await opened();
    const without = await cost(index);
    expect(await findAttributions(index)).toEqual(["owner"]);
    renameSync(away, from);
    await index.sync();
    expect(await findAttributions(index)).toEqual(["reported"]);
    expect(await cost(index)).toBe(without);
    renameSync(from, join(dirname(from), "other.jsonl"));
    await index.sync();
    expect(await findAttributions(index)).toEqual(["reported"]);
    rmSync(join(dirname(from), "other.jsonl"));
    await index.sync();
    expect(await findAttributions(index)).toEqual(["owner"]);
    expect(await cost(index)).toBe(without);
  });

  test("is counted from the child, in either order of reading", async () => {
    const before = computeExpectedContent(home).reduce((sum, each) => sum + each.cost, 0);
    for (const [first, second] of [
      [parent(), child()],
      [child(), parent()],
    ] as const) {
      const index = await openIndex({ db: join(home, `${databases++}.db`) });
      onTestFinished(() => index.close());
      await index.syncFile(first);
      await index.syncFile(second);
      expect(await findAttributions(index)).toEqual(["reported"]);
      await index.sync();
      expect(await cost(index)).toBe(before);
      expect((await index.verify()).differences).toEqual([]);
    }
  });

  test("names the session that started the child", async () => {
    const index = await opened();
    expect((await index.find(child())).startedBy).toBe(parent());
    expect((await index.find(child())).subagent).toBe(true);
  });
});

describe("a root created later", () => {
  const late = ".late/agent/sessions/--p--/2026-05-04T09-00-00-000Z_late.jsonl";
  const lines = [
    { type: "session", version: 3, id: "late", timestamp: "2026-05-04T09:00:00.000Z", cwd: "/p" },
    {
      type: "message",
      id: "1",
      parentId: null,
      timestamp: "2026-05-04T09:00:01.000Z",
      message: { role: "user", content: "late" },
    },
  ];

  test("is found by the next sync", async () => {
    const index = await opened();
    writeHome(home, { [late]: lines });
    await index.sync();
    expect(await index.find("late")).toMatchObject({ agent: "late", path: join(home, late) });
    expect(index.roots).toContain(join(home, ".late/agent/sessions"));
  });

  test("is watched once a full scan has found it", async () => {
    const index = await opened();
    const synced: (readonly string[] | undefined)[] = [];
    await using _ = await index.watch({ intervalMs: 50, onSynced: (_, { paths }) => synced.push(paths) });
    writeHome(home, { [late]: lines });
    await waitUntil("it is found", async () =>
      (await index.listAll()).sessions.some(({ id }) => id === "late"),
    );
    const again = { ...lines[1], id: "2", parentId: "1" };
    await waitUntil("it is listened to", async () => {
      appendFileSync(join(home, late), `${JSON.stringify(again)}\n`);
      return synced.some((paths) => paths?.includes(join(home, late)));
    });
  });
});

describe("sessions of every agent", () => {
  const till = () => computeExpectedContent(home).find(({ name }) => name === "Hazelnut till")?.path ?? "";
  const command = async (...argv: string[]) => {
    const { exit, out, err } = await pidex([...argv, "--db", join(home, "index.db")]);
    expect(`${exit} ${err}`).toMatch(/^0 /);
    return out;
  };

  test("show Python code, files, developer messages and models", async () => {
    const shown = await command("show", till());
    for (const part of [
      /^python .*\n>>> open\('till\/pages.csv', 'w'\)/m,
      /^files .*\nsrc\/print.ts\nexport const filbert/m,
      /^developer .*\nAnswer in hazelnut terms/m,
      /· model openrouter\/anthropic\/claude-opus-4.5\n/,
      /· model openai\/gpt-5-nano for smol/,
      /· usage title/,
    ]) {
      expect(shown).toMatch(part);
    }
    // What only names or files a session is left out, unless everything is asked for.
    expect(shown).not.toMatch(/· named /);
    expect(await command("show", till(), "--full")).toMatch(/· named Hazelnut till/);
    const markdown = join(home, "till.md");
    await command("export", till(), "-o", markdown);
    const text = readFileSync(markdown, "utf8");
    expect(text).toContain("```python\nopen('till/pages.csv', 'w')");
    expect(text).toContain("export const filbert");
  });

  test("are found by their content", async () => {
    const index = await opened();
    const ids = async (query: string) =>
      (await index.search(query)).sessions.map(({ session }) => session.name);
    for (const query of [
      "hazelnut",
      "filbert",
      "macadamia role:pythonExecution",
      "role:developer",
      "type:title_change",
      "name:hazelnut",
      "agent:OMP hazelnut",
    ]) {
      expect(await ids(query)).toContain("Hazelnut till");
    }
    expect(await ids("agent:gsd")).toEqual(["Coconut milestone"]);
    expect(await ids("agent:nobody")).toEqual([]);
    expect((await index.complete("agent:op")).options).toEqual([{ text: "openclaw", sessions: 2 }]);
  });

  test("can be renamed and archived, and the title before the header is unchanged", async () => {
    const path = till();
    await command("name", path, "Another till");
    await command("archive", path);
    const [first] = readFileSync(path, "utf8").split("\n");
    expect(first).toBe(JSON.stringify(titleSlot("Hazelnut till")));
    const index = await opened();
    expect(await index.find(path)).toMatchObject({ name: "Another till", archived: true });
    expect(await index.problems(path)).toEqual([]);
    await command("fork", path);
    await index.sync();
    const { sessions } = await index.listAll({ archived: "yes" });
    const forks = sessions.filter(({ parentSessionPath }) => parentSessionPath === path);
    expect(forks.map(({ name }) => name)).toEqual(["Another till"]);
  });

  test("follow a title that the agent overwrites", async () => {
    const index = await opened();
    const path = till();
    const text = readFileSync(path, "utf8").replace('"type":"title_change"', '"type":"custom"');
    writeFileSync(path, text.replace(/^.*\n/, `${JSON.stringify(titleSlot("Filbert till"))}\n`));
    await index.sync();
    expect((await index.listAll()).sessions.map(({ name }) => name)).toContain("Filbert till");
  });

  test("are listed by doctor with their agents, and skipped folders with the reason", async () => {
    symlinkSync(join(home, ".tau"), join(home, ".upsilon"));
    vi.stubEnv("PIDEX_EXCLUDE", "~/.gsd");
    const out = await command("doctor");
    const line = (folder: string) =>
      out
        .split("\n")
        .find((each) => each.includes(join(home, folder)))
        ?.trim();
    expect(line(".omp/agent/sessions:")).toMatch(/: 2 files, [\d.,]+ \w+ \(omp, found\)$/);
    expect(line(".pi/agent/sessions:")).toMatch(/: 1 file, [\d.,]+ \w+ \(pi, default\)$/);
    expect(line(".upsilon/")).toBe(
      `${home}/.upsilon/agent/sessions: the same folder as ${home}/.tau/agent/sessions (upsilon)`,
    );
    expect(out).toMatch(/^skipped {4}/m);
    expect(out).toContain(`${home}/.gsd/sessions: excluded by PIDEX_EXCLUDE (gsd)`);
    const { diagnosis } = JSON.parse(await command("doctor", "--json"));
    expect(diagnosis.roots).toContainEqual(
      expect.objectContaining({ agent: "prime-agent", from: "found", files: 2 }),
    );
    expect(diagnosis.skippedFolders.map(({ why }: { why: string }) => why).sort()).toEqual([
      "excluded",
      "same folder",
    ]);
  });
});
