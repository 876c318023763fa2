/** The picker on a hub. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HubLocation } from "../../../bin/actions/index-location.ts";
import { formatErrorNotice } from "../../../bin/format/error-notice.ts";
import { openPickerClient, type PickerClient } from "../../../bin/picker/client.ts";
import { loadFirstState } from "../../../bin/picker/first-frame.ts";
import { formatRefusal, noLocalFile } from "../../../bin/picker/keys/hub-refusal.ts";
import type { View } from "../../../bin/picker/model/view.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { addFile, settleShelves } from "../../library/hub/hub-files.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { startHub } from "../hub/hubs.ts";

const VIEW: View = {
  ...{ query: "", cwd: undefined, sort: "threaded", named: false, archived: false, subagents: false },
};

describe.skipIf(!hasPostgres)("the picker on a hub", () => {
  const closing = new AsyncDisposableStack();
  let hub: HubLocation & { machine: string };
  let path: string;
  let local: PickerClient;
  let remote: PickerClient;

  beforeAll(async () => {
    const root = temporaryFolder({ onTestFinished: (clean) => closing.defer(clean as () => void) });
    path = join(root, "till.jsonl");
    const talk = session({ id: "till", cwd: "/home/ada/shop" }).user("Round the tax.");
    talk.label(talk.lastId, "done").tool("edit", { path: "src/tax.ts" }, "ok").write(path);
    const running = closing.use(await startHub());
    await addFile(running, running.owner, path);
    await settleShelves(running);
    hub = { url: running.url, token: running.owner.token, machine: running.owner.machine };
    const place = { db: join(root, "index.db"), roots: [root] };
    await using index = await openIndex(place);
    await index.sync();
    const open = (location: Parameters<typeof openPickerClient>[0]) => {
      const client = openPickerClient(location, () => {});
      closing.defer(() => client.close());
      return client;
    };
    local = open(place);
    remote = open({ db: undefined, roots: undefined, hub });
  });
  afterAll(() => closing.disposeAsync());

  const withoutMachine = (answer: unknown): unknown =>
    JSON.parse(JSON.stringify(answer).replaceAll(`${hub.machine}:`, ""), (key, value) =>
      key === "person" ? undefined : value,
    );
  const onHub = () => `${hub.machine}:${path}`;

  test.each(["", "tax", "ta", "file:tax.ts"])(
    "lists the sessions of a query as the index does: %s",
    async (query) => {
      const params = { view: { ...VIEW, query }, minRows: 10, next: undefined, quick: false };
      const found = await remote.call("results", params);
      expect(found.rows.map(({ session }) => session.path)).toEqual([onHub()]);
      expect(withoutMachine(found)).toEqual(withoutMachine(await local.call("results", params)));
    },
  );

  test("shows the preview, the tree, hits and filters as the index does", async () => {
    const ask = async (client: PickerClient, at: string) => [
      await client.call("open", at, null, 20, { width: 80, isSummary: true }),
      await client.call("entries", at, [2, 3, 4, 5], [], { width: 80, isSummary: false }),
      await client.call("tree", at, { all: true, opened: [], closed: [] }),
      await client.call("summaries", at, [2, 4]),
      await client.call("hits", { path: at, sessionId: "till", view: { ...VIEW, query: "tax" } }),
      await client.call("facets", { ...VIEW, query: "tax" }),
      await client.call("facets", VIEW),
      await client.call("completions", "is:er"),
    ];
    expect(withoutMachine(await ask(remote, onHub()))).toEqual(withoutMachine(await ask(local, path)));
  });

  test("opens with the newest sessions, of all folders if this one has none", async () => {
    const location = { db: undefined, roots: undefined, hub };
    const { results } = await loadFirstState(location, { ...VIEW, cwd: "/nowhere" }, 10, () => {});
    expect(results.rows.map(({ session }) => session.path)).toEqual([onHub()]);
  });

  test("refuses changes and patterns", async () => {
    const refused = { code: "BAD_OPTION", hint: expect.stringContaining("pidex pull") };
    await expect(remote.call("rename", onHub(), "x")).rejects.toMatchObject(refused);
    await expect(remote.call("pin", [onHub()])).rejects.toMatchObject(refused);
    await expect(remote.call("delete", [onHub()])).rejects.toMatchObject(refused);
    const params = { view: { ...VIEW, query: "re:tax" }, minRows: 10, next: undefined, quick: false };
    await expect(remote.call("results", params)).rejects.toMatchObject(refused);
  });

  test("says why a session cannot be changed, within 80 columns", () => {
    const refuse = (path: string, person = "ada") =>
      formatRefusal("rename", { path, person }, { ...hub, person: "ada" });
    expect(refuse(onHub())).toBe("on this machine: change it without --hub");
    expect(refuse("desk:/a.jsonl")).toMatch(/^on another machine: run pidex pull .* without --hub$/);
    expect(refuse("desk:/a.jsonl", "bo")).toMatch(/^of another person: .* not changed$/);
    expect(refuse("desk:/a.jsonl").length).toBeLessThanOrEqual(80);
    expect(formatRefusal("scan", undefined, hub).length).toBeLessThanOrEqual(80);
  });

  test("says why a session cannot be resumed, within 80 columns", () => {
    const explain = (person: string, wasDeleted: boolean) => {
      const session = { path: "desk:/a.jsonl", person };
      return formatErrorNotice(noLocalFile(session, { ...hub, person: "ada" }, wasDeleted));
    };
    expect(explain("ada", false)).toContain("pidex pull");
    expect(explain("ada", true)).toContain("pidex restore");
    expect(explain("bo", false)).toContain("read here, but not resumed");
    for (const text of [explain("ada", false), explain("ada", true), explain("bo", false)])
      expect(text.length).toBeLessThanOrEqual(80);
  });
});
