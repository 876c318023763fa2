import { expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../opened-queries.ts";

const shownOf = async (query: string, talk: ReturnType<typeof session>) => {
  const { index } = await indexed(talk);
  const { hits } = await index.searchEntries(query);
  return hits.map(({ part, snippet: { text, ranges } }) => ({
    part,
    marked: ranges.map(([start, end]) => text.slice(start, end)),
  }));
};

test("the part with more of the query's terms is shown, however often another part repeats one", async () => {
  const call = toolCall("1", "bash", { command: "round the tax" });
  const talk = session().assistant([{ type: "text", text: "tax, tax, tax and tax" }, call]);
  expect(await shownOf("tax round", talk)).toEqual([{ part: "call", marked: ["round", "tax"] }]);
});

test("among parts with equal terms, the one with more matches is shown, then the message", async () => {
  const call = toolCall("1", "bash", { command: "tax tax" });
  const saidOnce = session().assistant([{ type: "text", text: "tax" }, call]);
  expect(await shownOf("tax", saidOnce)).toEqual([{ part: "call", marked: ["tax", "tax"] }]);
  const saidTwice = session().assistant([{ type: "text", text: "tax, tax" }, call]);
  expect(await shownOf("tax", saidTwice)).toEqual([{ part: "message", marked: ["tax", "tax"] }]);
});

test("without words in the query, the file that it names is shown; a pattern names none", async () => {
  const call = toolCall("1", "edit", { path: "src/till.ts", oldText: "a", newText: "b" });
  const talk = session().assistant([{ type: "text", text: "Let me change that." }, call]);
  expect(await shownOf("file:src/till.ts", talk)).toEqual([{ part: "call", marked: ["till.ts"] }]);
  expect(await shownOf("file:*.ts", talk)).toEqual([{ part: "message", marked: [] }]);
  expect(await shownOf("file:till.ts change", talk)).toEqual([{ part: "message", marked: ["change"] }]);
  expect(await shownOf("tool:edit -file:other.ts", talk)).toEqual([{ part: "message", marked: [] }]);
});

test("a word at the end of a message of megabytes is shown", async () => {
  const talk = session().user(`${"lorem ipsum ".repeat(120_000)}the needle`);
  expect(await shownOf("needle", talk)).toEqual([{ part: "message", marked: ["needle"] }]);
});

test("a snippet shows the rarest words of the query, not a phrase of common ones", async () => {
  const common = Array.from({ length: 30 }, (_, n) =>
    session({ id: `common-${n}` }).user("This value is not a function of the other value."),
  );
  const filler = "lorem ipsum ".repeat(40);
  const call = toolCall("1", "bash", { command: "node -e 'value is not a function'" });
  const said = `The value is not a function. ${filler} parseTill fails. ${filler}`;
  const rare = session({ id: "rare" }).assistant([{ type: "text", text: said }, call]);
  const { index } = await indexed(rare, ...common);
  const { hits } = await index.searchEntries("TypeError: value parseTill is not a function value");
  const [hit] = hits;
  expect(hit?.path).toContain("rare");
  expect(hit?.part).toBe("message");
  expect(hit?.snippet.ranges.map(([start, end]) => hit.snippet.text.slice(start, end))).toEqual([
    "parseTill",
  ]);
});

test("a longer snippet begins where the shortest does, and goes on after its matches", async () => {
  const { index } = await indexed(
    session().user(`${"lorem ".repeat(100)}the needle ${"ipsum ".repeat(100)}`),
  );
  const shown = async (snippetLength?: number) => {
    const { hits } = await index.searchEntries("needle", { snippetLength });
    return hits[0]?.snippet ?? { text: "", ranges: [] };
  };
  const [short, long] = [await shown(), await shown(320)];
  expect(long.ranges).toEqual(short.ranges);
  expect(long.text.startsWith(short.text.slice(0, -1))).toBe(true);
  expect([short.text.length > 150, short.text.length < 170, long.text.length > 310]).toEqual([
    true,
    true,
    true,
  ]);
  await expect(shown(100)).rejects.toThrow("snippetLength");
});
