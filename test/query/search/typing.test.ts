import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../opened-queries.ts";

const at = (day: number) => session({ id: `s${day}`, timestamp: `2026-01-0${day}T09:00:00.000Z` });

async function opened() {
  const { index } = await indexed(
    at(1).user("the invoice total"),
    at(2).user("invoices of last year"),
    at(3).user("invoice2024 is a file"),
    at(4).user("something else about a total"),
  );
  const ids = async (query: string, quick: boolean) => {
    const { sessions, more, next } = await index.search(query, { quick, sort: "oldest" });
    return { ids: sessions.map((each) => each.session.id), more, next };
  };
  return { index, ids };
}

test("a prefix in a quick search finds words of letters, and says that there may be more", async () => {
  const { ids } = await opened();
  expect(await ids("invoi*", false)).toMatchObject({ ids: ["s1", "s2", "s3"], more: false });
  expect(await ids("invoi*", true)).toMatchObject({ ids: ["s1", "s2"], more: true });
});

test("the next page of a quick search has what its prefix missed", async () => {
  const { index, ids } = await opened();
  const { next } = await ids("invoi*", true);
  const { sessions } = await index.search("invoi*", { sort: "oldest", cursor: next ?? "" });
  expect(sessions.map((each) => each.session.id)).toEqual(["s3"]);
});

test("a prefix of words with digits only is searched as it is", async () => {
  const { ids } = await opened();
  expect(await ids("invoice2*", true)).toMatchObject({ ids: ["s3"], more: false });
});

test("a whole word, and a query with facets, are searched completely", async () => {
  const { index, ids } = await opened();
  expect(await ids("total", true)).toMatchObject({ ids: ["s1", "s4"], more: false });
  const { sessionCount } = await index.search("invoi*", { quick: true, facets: true });
  expect(sessionCount).toBe(3);
});

test("of several words the last one may be a prefix; a phrase that it completes ranks first", async () => {
  const { index } = await indexed(
    at(1).user("the tax rate of the shop"),
    at(2).user("a rate of the tax in the shop"),
    at(3).user("taxes"),
  );
  const first = async (query: string) => {
    const { sessions } = await index.search(query, { quick: true });
    return sessions.map((each) => each.session.id);
  };
  expect(await first("tax rate*")).toEqual(["s1", "s2"]);
  expect((await first("tax ra*")).toSorted()).toEqual(["s1", "s2"]);
});

test("an exclusion by prefix excludes words with digits too", async () => {
  const { ids } = await opened();
  expect((await ids("file -invoi*", true)).ids).toEqual([]);
});

test("with nothing found, misspelled words are corrected", async () => {
  const { index } = await opened();
  const { sessions, correctedQuery } = await index.search("invioce tot*", { quick: true });
  expect(sessions.map((each) => each.session.id)).toContain("s1");
  expect(correctedQuery).toBe("invoice tot*");
});
