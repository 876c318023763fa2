/** The picker's queries while the index has no sessions yet. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PickerService } from "../../../bin/picker/service/picker-service.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { VIEW } from "./sample-state.ts";

test("the newest sessions are listed from their files and found by title; after the first sync, from the index", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  for (const [n, title] of ["The oldest walrus", "Kettles", "The newest walrus"].entries()) {
    const timestamp = `2026-01-0${n + 1}T09:00:00.000Z`;
    session({ id: `s${n}`, cwd: "/home/ada/shop", timestamp })
      .user(title)
      .assistant("ok")
      .writeUnder(root);
  }
  session({ id: "old", cwd: "/home/ada/shop" })
    .user("archived")
    .custom("pidex", { archived: true })
    .writeUnder(root);
  const index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  onTestFinished(() => index.close());
  const service = new PickerService(index);
  const titles = async (view: Partial<typeof VIEW> & { cwd?: string }) => {
    const { rows, total } = await service.results({ view: { ...VIEW, ...view }, minRows: 0, quick: false });
    expect(total).toBe(rows.length);
    return rows.map(({ session: { firstMessage } }) => firstMessage);
  };
  expect(await titles({})).toEqual(["The newest walrus", "Kettles", "The oldest walrus"]);
  expect(await titles({ query: "walr" })).toEqual(["The newest walrus", "The oldest walrus"]);
  expect(await titles({ query: "wa" })).toEqual(["The newest walrus", "The oldest walrus"]);
  expect(await titles({ archived: true })).toContain("archived");
  expect(await titles({ cwd: "/home/ada/blog" })).toEqual([]);

  await service.sync();
  expect(await titles({})).toEqual(["The newest walrus", "Kettles", "The oldest walrus"]);
});
