/** An agent's session folder that appears while the server runs. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { serve } from "./serve.ts";

test("a folder of sessions that appears is listed, searched, counted, scanned, exported and written to", async () => {
  const home = realpathSync(temporaryFolder());
  const temporary = join(home, "tmp");
  mkdirSync(temporary);
  const pi = join(home, ".pi", "agent", "sessions");
  const omp = join(home, ".omp", "agent", "sessions");
  const talk = (id: string) => session({ id, cwd: `/home/ada/${id}` }).user(`Which pineapple? ${id}`);
  talk("first").writeUnder(pi);
  const env = {
    ...{ HOME: home, TMPDIR: temporary, XDG_DATA_HOME: join(home, "data"), PIDEX_ROOTS: "" },
    ...{ PI_CODING_AGENT_DIR: "", PI_CODING_AGENT_SESSION_DIR: "" },
  };
  const server = await serve(undefined, { db: join(home, "index.db"), env });
  const streamed = async (question: string) => {
    const text = await (await server.fetch(`/api/${question}`)).text();
    return ["first", "second"].filter((id) => text.includes(`pineapple? ${id}`));
  };
  const counted = async () => ({
    list: (await server.json("/api/list")).total,
    search: (await server.json("/api/search?query=pineapple")).sessionCount,
    facets: (await server.json("/api/facets?query=pineapple")).totals.sessions,
    scan: await streamed("scan?regex=pineapple.*"),
    export: await streamed("export?search=pineapple&format=md"),
  });
  await vi.waitFor(async () => expect((await server.json("/api/list")).total).toBe(1), 20_000);
  expect(await counted()).toEqual({ list: 1, search: 1, facets: 1, scan: ["first"], export: ["first"] });

  const path = talk("second").writeUnder(omp);
  mkdirSync(join(pi, "--anything-new--")); // triggers a full scan, as happens every minute
  const both = ["first", "second"];
  await vi.waitFor(
    async () => expect(await counted()).toEqual({ list: 2, search: 2, facets: 2, scan: both, export: both }),
    { timeout: 20_000, interval: 500 },
  );
  expect((await server.act("/api/rename", { session: path, name: "Named" })).status).toBe(200);
}, 60_000);
