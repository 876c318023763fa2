/** The order of sessions that match by title, while the user types. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SessionFinder } from "../../../bin/picker/service/session-finder.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { VIEW } from "./sample-state.ts";

/** More sessions than one search returns. */
const COUNT = 40;

test("of similar titles, sessions with hits come first, so that none of the first screen lacks them", async () => {
  const root = join(temporaryFolder(), "root");
  for (let n = 0; n < COUNT; n++)
    session({ id: `s${n}` })
      .user(`Walrus ${n}`)
      .assistant("A walrus, again.")
      .writeUnder(root);
  session({ id: "better" }).name("walrus").user("Something else").writeUnder(root);
  const index = await openIndex({ db: join(root, "../index.db"), roots: [root] });
  onTestFinished(() => index.close());
  await index.sync();
  const finder = new SessionFinder(index);
  const { rows } = await finder.results({ view: { ...VIEW, query: "walrus" }, minRows: 0, quick: true });
  expect(rows.slice(1, 12).filter(({ hits }) => hits.length === 0)).toEqual([]);
  const later = rows.filter(({ hits, titlePositions }) => titlePositions && hits.length === 0);
  expect(later.length).toBeGreaterThan(0);
  expect(later.every(({ hasUnknownHits }) => hasUnknownHits)).toBe(true);
  // A better title comes first, whether or not the search found the session.
  expect(rows[0]?.session.id).toBe("better");
});

test("if many titles have a word, the best five come first, then the best hits", async () => {
  const root = join(temporaryFolder(), "root");
  for (let n = 0; n < COUNT; n++)
    session({ id: `t${n}` })
      .user(`About walrus number ${n}`)
      .writeUnder(root);
  session({ id: "hits" })
    .name("The sea")
    .user("walrus, walrus")
    .user("The walrus is here, a walrus")
    .user("walrus")
    .writeUnder(root);
  const index = await openIndex({ db: join(root, "../index.db"), roots: [root] });
  onTestFinished(() => index.close());
  await index.sync();
  const { rows } = await new SessionFinder(index).results({
    view: { ...VIEW, query: "walrus" },
    minRows: 0,
    quick: false,
  });
  const ids = rows.map(({ session }) => session.id);
  expect(ids.slice(0, 5).filter((id) => id.startsWith("t"))).toHaveLength(5);
  const { sessions } = await index.search("walrus");
  const rest = sessions.map(({ session }) => session.id).filter((id) => !ids.slice(0, 5).includes(id));
  expect(ids.slice(5, 10)).toEqual(rest.slice(0, 5));
  expect(new Set(ids).size).toBe(ids.length);
});

test("titles with only the letters of the query come after the closest matches", async () => {
  const root = join(temporaryFolder(), "root");
  session({ id: "letters" })
    .name("Discuss the color of the fulfilled orders")
    .user("Which one?")
    .writeUnder(root);
  session({ id: "disk" }).user("The disk of db-1 is full").writeUnder(root);
  const index = await openIndex({ db: join(root, "../index.db"), roots: [root] });
  onTestFinished(() => index.close());
  await index.sync();
  const find = async (query: string) => {
    const { rows } = await new SessionFinder(index).results({
      view: { ...VIEW, query },
      minRows: 0,
      quick: true,
    });
    return rows.map(({ session }) => session.id);
  };
  expect(await find("disc full")).toEqual(["disk", "letters"]);
  expect(await find("dscfl")).toEqual(["letters"]);
});
