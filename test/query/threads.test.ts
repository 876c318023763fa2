/** The first threads of a list. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import { temporaryFolder } from "../temporary.ts";
import { openOver } from "./opened-queries.ts";

test("it has the newest sessions and the rest of their threads, in the order of the list, without what filters exclude", async () => {
  const folder = temporaryFolder();
  const pathOf = (draft: Session) => join(folder, draft.fileName);
  const write = (day: string, parent?: Session) => {
    const draft = session({
      id: `day-${day}`,
      timestamp: `2026-01-${day}T09:00:00.000Z`,
      ...(parent && { parentSession: pathOf(parent) }),
    }).user("hello");
    draft.write(pathOf(draft));
    return draft;
  };
  const root = write("01");
  const other = write("02");
  const fork = write("03", root);
  write("04", fork);
  write("05", other);
  write("06");
  write("07", fork);
  write("08", root);
  const archived = session({
    id: "archived",
    timestamp: "2026-01-09T09:00:00.000Z",
    parentSession: pathOf(other),
  });
  archived.user("hello").custom("pidex", { archived: true }).write(pathOf(archived));
  const index = await openOver([folder]);
  await index.sync();

  const list = async (limit: number) => {
    const { sessions, total } = await index.listThreads({ limit });
    expect(total).toBe(8);
    return sessions.map(({ id }) => id.slice(-2));
  };
  expect(await list(1)).toEqual(["08", "07", "04", "03", "01"]);
  expect(await list(4)).toEqual(["08", "07", "06", "05", "04", "03", "02", "01"]);
  expect(await list(100)).toEqual((await index.listAll()).sessions.map(({ id }) => id.slice(-2)));
});
