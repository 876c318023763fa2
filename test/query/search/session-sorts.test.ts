import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../opened-queries.ts";

async function opened() {
  const talk = (id: string, cwd: string, messages: number, cost: number) => {
    const made = session({ id, cwd });
    for (let n = 1; n < messages; n++) made.user("tax");
    return made.assistant("so", { tokens: { input: cost * 1000, output: 0 } });
  };
  return indexed(
    talk("long", "/home/ada/shop", 9, 1),
    talk("dear", "/home/ada/shop", 3, 5),
    talk("late", "/home/ada/shop", 2, 2),
    talk("other", "/home/ada/blog", 20, 9),
  );
}

test("queries that filter sessions by fields are sorted by cost and messages, page by page", async () => {
  const { index } = await opened();
  const listed = async (sort: "cost" | "messages" | "oldest", limit = 20) => {
    const ids: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await index.search("project:shop", { sort, limit, cursor });
      ids.push(...page.sessions.map(({ session: { id } }) => id));
      cursor = page.next;
      more = cursor !== undefined;
    }
    return ids;
  };
  for (const limit of [20, 1]) {
    expect(await listed("cost", limit)).toEqual(["dear", "late", "long"]);
    expect(await listed("messages", limit)).toEqual(["long", "dear", "late"]);
  }
});

test.each(["tax", "project:shop tax", "role:user", "is:error"])("%j is not", async (query) => {
  const { index } = await opened();
  const error = {
    code: "BAD_OPTION",
    message: "only queries that filter sessions by fields are sorted by cost",
  };
  await expect(index.search(query, { sort: "cost" })).rejects.toMatchObject(error);
  await expect(index.searchEntries(query, { sort: "cost" })).rejects.toMatchObject(error);
});
