import {
  costEntry,
  type Fields,
  prompt,
  response,
  responseWith,
  toolResult,
  usage,
  v1,
  v3,
} from "../ledger-files.ts";
import { type LedgerCase, scout, singleFile, version1Session, withCost } from "./case.ts";

export const ONE_SESSION: LedgerCase[] = [
  singleFile("a response", v3("a", [prompt("q", 0), response("x", 1, 1.5)]), 1.5),
  singleFile("responses in version 1", version1Session(), 1.75, 39),
  singleFile(
    "responses in version 2",
    v3("a", [response("x", 1, 1), response("y", 2, 0.5)], { version: 2 }),
    1.5,
    26,
  ),
  singleFile("tokens without a cost", v3("a", [responseWith("x", 1, { input: 10, output: 3 })]), 0),
  singleFile("only a header", v3("a", []), 0, 0),
  singleFile("an empty file", "", 0, 0),
  singleFile("a file that is not a session", "nothing\n{}\n", 0, 0),
  singleFile(
    "an archived session",
    v3("a", [
      response("x", 1, 1),
      { type: "custom", id: "c", customType: "pidex", data: { archived: true } },
    ]),
    1,
  ),
  singleFile(
    "two events with the same time and cost",
    v3("a", [response("x", 1, 1, "Same"), response("y", 1, 1, "Same")]),
    2,
    26,
  ),
  singleFile(
    "the same in version 1",
    v1("a", [response(null, 1, 1, "Same"), response(null, 1, 1, "Same")]),
    2,
    26,
  ),
  singleFile("a duplicated line", v3("a", [response("x", 1, 1), response("x", 1, 1)]), 1),
  singleFile("an id of two events", v3("a", [response("x", 1, 1), response("x", 2, 1)]), 2, 26),
  singleFile("events without ids", v3("a", [response(null, 1, 1), response(undefined, 2, 0.5)]), 1.5, 26),
  singleFile(
    "events at the same time without ids",
    v3("a", [response(null, 1, 1, "A"), response(null, 1, 1, "B")]),
    2,
    26,
  ),
  singleFile('ids 5 and "5" at the same time', v3("a", [response(5, 1, 1), response("5", 1, 1)]), 2, 26),
  singleFile(
    "an event with a time only in its message",
    v3("a", [
      {
        ...response("x", 1, 1),
        timestamp: "soon",
        message: { ...(response("x", 1, 1).message as Fields), timestamp: 1_767_603_600_000 },
      },
    ]),
    1,
  ),
  singleFile(
    "events without a time",
    v3("a", [
      { ...response("x", 1, 1), timestamp: undefined },
      { ...response("y", 1, 1), timestamp: "" },
    ]),
    2,
    26,
  ),
  singleFile(
    "an event before its session was created, and one in the year 2199",
    v3("a", [response("x", -900, 1), response("y", 91_000_000, 0.5)]),
    1.5,
    26,
  ),
  singleFile(
    "an event before a broken line, and one after it",
    v3("a", [response("x", 1, 1), "{broken", response("y", 2, 1)]),
    2,
    26,
  ),
  singleFile(
    "an event on an abandoned branch",
    v3("a", [
      prompt("q", 0),
      { ...response("x", 1, 1), parentId: "q" },
      { ...response("y", 2, 0.5), parentId: "q" },
    ]),
    1.5,
    26,
  ),
];

export const KINDS: LedgerCase[] = [
  singleFile("a tool result", v3("a", [toolResult("x", 1, withCost({ total: 0.5 }))]), 0.5),
  singleFile("a compaction", v3("a", [costEntry("compaction", "x", 1, 0.5, { summary: "S" })]), 0.5),
  singleFile("a branch summary", v3("a", [costEntry("branch_summary", "x", 1, 0.5, { summary: "S" })]), 0.5),
  singleFile(
    "a session summary",
    v3("a", [costEntry("session_summary", "x", 1, 0.5, { summary: "S" })]),
    0.5,
  ),
  singleFile(
    "a usage entry",
    v3("a", [costEntry("usage", "x", 1, 0.5, { kind: "title", model: "opus" })]),
    0.5,
  ),
  singleFile("an unknown type", v3("a", [costEntry("novel", "x", 1, 0.5)]), 0, 0),
  singleFile("a response with a number as its cost", v3("a", [responseWith("x", 1, usage(0.5))]), 0.5),
  singleFile("a tool result with a number as its cost", v3("a", [toolResult("x", 1, withCost(0.5))]), 0.5),
  singleFile(
    "a compaction with a number as its cost",
    v3("a", [{ ...costEntry("compaction", "x", 1, 9), ...withCost(0.5) }]),
    0.5,
  ),
  singleFile(
    "a usage entry with a number as its cost",
    v3("a", [{ ...costEntry("usage", "x", 1, 9), ...withCost(0.5) }]),
    0.5,
  ),
  singleFile(
    "a subagent with a cost in parts",
    v3("a", [toolResult("x", 1, { details: { results: [scout(withCost({ input: 0.25, output: 0.5 }))] } })]),
    0.75,
  ),
  singleFile(
    "a cost in parts only",
    v3("a", [responseWith("x", 1, usage({ input: 0.25, output: 0.5 }))]),
    0.75,
  ),
  singleFile(
    "a cost that only the provider reported",
    v3("a", [responseWith("x", 1, usage({ totalFromProvider: 0.75 }))]),
    0.75,
  ),
  singleFile("a cost that is a string", v3("a", [responseWith("x", 1, usage("0.5"))]), 0),
  singleFile(
    "a negative total beside a part",
    v3("a", [responseWith("x", 1, usage({ total: -1, input: 0.25 }))]),
    0.25,
  ),
  singleFile("a cost that is a negative number", v3("a", [responseWith("x", 1, usage(-0.5))]), 0),
  singleFile(
    "a cost of null, as JSON writes NaN",
    v3("a", [responseWith("x", 1, usage({ total: Number.NaN }))]),
    0,
  ),
  singleFile(
    "tokens as text, and negative ones",
    v3("a", [responseWith("x", 1, { input: "10", output: -3, cacheRead: 4, cost: { total: 0.5 } })]),
    0.5,
    4,
  ),
  singleFile("an implausible cost", v3("a", [responseWith("x", 1, usage({ total: 10_001 }))]), 0),
  singleFile("usage that is a string", v3("a", [responseWith("x", 1, "free")]), 0, 0),
];
