/** The models of sessions in lists and searches. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { openIndex } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

test("sessions have the models of their responses if they are requested, most used first", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const talk = session({ id: "two" }).user("pay");
  for (const model of ["b", "a", "b"]) talk.assistant("Paid.", { provider: "p", model });
  talk.writeUnder(root);
  session({ id: "none" }).user("pay").writeUnder(root);
  await using index = await openIndex({ roots: [root], db: join(folder, "index.db") });
  await index.sync();
  const expected = { two: ["p/b", "p/a"], none: [] };
  const { sessions } = await index.listAll({ models: true });
  expect(Object.fromEntries(sessions.map(({ id, models }) => [id, models]))).toEqual(expected);
  for (const query of ["pay", "cost:>=0"]) {
    const found = await index.search(query, { models: true });
    expect(Object.fromEntries(found.sessions.map(({ session: { id, models } }) => [id, models]))).toEqual(
      expected,
    );
  }
  for (const each of (await index.listAll()).sessions) expect(each).not.toHaveProperty("models");
});
