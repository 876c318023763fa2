import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { titleSlot } from "../../fixtures/agents.ts";
import { session } from "../../fixtures/builder.ts";
import { catalog } from "../../fixtures/catalog.ts";
import {
  garbageBeforeHeader,
  noHeader,
  titleBeforeHeader,
  unknownTypes,
} from "../../fixtures/stories/broken.ts";
import { MAX_LINE_BYTES, readAt } from "../../src/session/lines.ts";
import { INITIAL_READ_STATE, type ReadState, readSession, type SessionLine } from "../../src/session/read.ts";
import { openFile, readWhole, rewrite } from "./open-file.ts";

const codes = (lines: SessionLine[]) => lines.flatMap(({ problems }) => problems.map(({ code }) => code));
const entries = (lines: SessionLine[]) => lines.flatMap(({ entry }) => (entry ? [entry] : []));

/** The results of reading a file so far, and the state to continue from, as an index stores it. */
interface Kept {
  lines: SessionLine[];
  state: ReadState;
}

/** Continues reading as an index does: from the stored state, without entries after the cursor, which are read again. */
function readOn(fd: number, kept: Kept, end: number): Kept {
  let state: ReadState = JSON.parse(JSON.stringify(kept.state));
  let lines = kept.lines.filter(({ offset }) => offset < state.offset);
  if (!state.terminated && end > state.offset && readAt(fd, state.offset, 1)[0] !== 0x0a) {
    state = { ...INITIAL_READ_STATE };
    lines = [];
  }
  return { lines: [...lines, ...readSession(fd, state, end)], state };
}

/** The position at which the reader rejected a file is not compared. */
const comparable = ({ lines, state }: Kept) => ({ lines, state: state.header === "none" ? "none" : state });

describe("reading in slices", () => {
  test.each(catalog)("equals reading at once: $shows", ({ session }) => {
    const bytes = session.bytes();
    const fd = openFile(bytes);
    const whole = readOn(fd, { lines: [], state: INITIAL_READ_STATE }, bytes.length);
    const ends = fc.array(fc.nat(bytes.length), { maxLength: 12 });
    fc.assert(
      fc.property(ends, (cuts) => {
        let kept: Kept = { lines: [], state: { ...INITIAL_READ_STATE } };
        for (const end of [...cuts.sort((a, b) => a - b), bytes.length]) kept = readOn(fd, kept, end);
        expect(comparable(kept)).toEqual(comparable(whole));
      }),
      { numRuns: 25 },
    );
  });

  test("has the same result byte by byte", () => {
    const bytes = session({ version: 1 })
      .user("1 €")
      .raw("")
      .raw("{}{}")
      .raw("no")
      .compaction("s", 1)
      .bytes();
    const fd = openFile(bytes);
    let kept: Kept = { lines: [], state: { ...INITIAL_READ_STATE } };
    for (let end = 0; end <= bytes.length; end++) kept = readOn(fd, kept, end);
    expect(kept).toEqual(readOn(fd, { lines: [], state: INITIAL_READ_STATE }, bytes.length));
  });

  test("has the same result when the reader stops after any line", () => {
    const bytes = session({ before: ["x"] })
      .user("1")
      .raw("no")
      .user("2")
      .cut(1)
      .bytes();
    const whole = readWhole(bytes);
    const fd = openFile(bytes);
    for (let lines = 1; lines <= whole.lines.length; lines++) {
      const state = { ...INITIAL_READ_STATE };
      const first: SessionLine[] = [];
      for (const line of readSession(fd, state, bytes.length)) if (first.push(line) === lines) break;
      expect([...first, ...readSession(fd, state, bytes.length)]).toEqual(whole.lines);
      expect(state).toEqual(whole.state);
    }
  });
});

describe("the last line", () => {
  test("is left for the next read if it is torn", () => {
    const talk = session().user("first").user("second");
    const bytes = talk.cut(20).bytes();
    const { lines, state } = readWhole(bytes);
    expect(codes(lines)).toEqual(["torn_line"]);
    expect(entries(lines)).toHaveLength(1);
    expect(state.offset).toBe(bytes.lastIndexOf("\n") + 1);
    expect(state).toMatchObject({ lines: 2, terminated: true, leafId: talk.entries[0]?.id });
  });

  test("counts without its newline if it is a complete object, and the newline is not another line", () => {
    const talk = session().user("first");
    const bytes = talk.bytes();
    const fd = openFile(bytes);
    const state = { ...INITIAL_READ_STATE };
    expect(entries([...readSession(fd, state, bytes.length - 1)])).toHaveLength(1);
    expect(state).toMatchObject({
      offset: bytes.length - 1,
      terminated: false,
      lines: 2,
      leafId: talk.lastId,
    });
    expect([...readSession(fd, state, bytes.length)]).toEqual([]);
    expect(state).toMatchObject({ offset: bytes.length, terminated: true, lines: 2, leafId: talk.lastId });
  });

  test.each([
    ["12", ["not_an_entry"]],
    ["   ", []],
    ["[1]", ["not_an_entry"]],
    ["nul", ["torn_line"]],
  ])("that is only %j may be the start of any line", (tail, problems) => {
    const bytes = Buffer.concat([session().user("x").bytes(), Buffer.from(tail)]);
    const { lines, state } = readWhole(bytes);
    expect(codes(lines)).toEqual(problems);
    expect(state).toMatchObject({ offset: bytes.length - tail.length, lines: 2, parsed: 2 });
  });

  test("that is too long to parse is also left while it has no newline", () => {
    const start = session().user("x").bytes();
    const bytes = Buffer.alloc(start.length + MAX_LINE_BYTES + 100, " ");
    start.copy(bytes);
    bytes.write('{"type":"custom","id":"late","data":"', start.length);
    const fd = openFile(bytes);
    const state = { ...INITIAL_READ_STATE };
    const first = [...readSession(fd, state, bytes.length - 1)];
    expect(codes(first)).toEqual(["torn_line"]);
    expect(state.offset).toBe(start.length);
    bytes.write('"}\n', bytes.length - 3);
    rewrite(fd, bytes);
    const [late] = [...readSession(fd, state, bytes.length)];
    expect(late?.entry).toEqual({ type: "custom", id: "late" });
    expect(codes(late ? [late] : [])).toEqual(["long_line"]);
  });
});

describe("a header", () => {
  test("may come after garbage, blanks and a title", () => {
    for (const story of [garbageBeforeHeader(), titleBeforeHeader()]) {
      const { lines, state } = readWhole(story.bytes());
      expect(state.header).toBe("found");
      const { title: _, ...header } = lines.find(({ header }) => header)?.header ?? {};
      expect(header).toEqual(JSON.parse(JSON.stringify(story.header)));
      expect(entries(lines)).toHaveLength(story.entries.length);
    }
  });

  test("has the title of the line before it, from any read, instead of its own older one", () => {
    const header = JSON.stringify({ type: "session", version: 3, id: "a", cwd: "/", title: "older" });
    const bytes = Buffer.from(`${JSON.stringify(titleSlot("Hazelnut"))}\n${header}\n`);
    const { lines } = readWhole(bytes);
    expect(lines.find(({ header }) => header)?.header).toMatchObject({ id: "a", title: "Hazelnut" });
    const fd = openFile(bytes.subarray(0, 256));
    const state = { ...INITIAL_READ_STATE };
    expect([...readSession(fd, state, 256)]).toEqual([]);
    rewrite(fd, bytes);
    expect([...readSession(fd, state, bytes.length)][0]?.header).toMatchObject({ title: "Hazelnut" });
  });

  test("after another entry is ignored, and the rest is not read, now or later", () => {
    const bytes = noHeader().entry({ type: "session", id: "late" }).bytes();
    const fd = openFile(bytes);
    const state = { ...INITIAL_READ_STATE };
    const count = { bytes: 0, lines: 0 };
    const lines = [...readSession(fd, state, bytes.length, count)];
    expect(codes(lines)).toEqual(["no_header"]);
    expect(entries(lines)).toEqual([]);
    expect(state.header).toBe("none");
    expect([...readSession(fd, state, bytes.length)]).toEqual([]);
    expect(count.lines).toBe(1);
  });

  test("after over 1 MiB of other lines is found, with one problem for those not reported", () => {
    const filler = "x".repeat(1 << 20);
    const late = readWhole(
      session({ before: [filler, "more", "and more"] })
        .user("x")
        .bytes(),
    );
    expect(late.state.header).toBe("found");
    expect(codes(late.lines)).toEqual(["malformed_line", "late_header"]);
    expect(entries(late.lines)).toHaveLength(1);
    const inTime = readWhole(
      session({ before: [filler.slice(1)] })
        .user("x")
        .bytes(),
    );
    expect(inTime.state.header).toBe("found");
    expect(codes(inTime.lines)).toEqual(["malformed_line"]);
  });

  test("takes a title only from the first MiB, however the file grew", () => {
    const header = JSON.stringify({ type: "session", version: 3, id: "a", cwd: "/" });
    const title = JSON.stringify({ type: "title", title: "Late" });
    const titleOf = (lines: SessionLine[]) => {
      const found = lines.find(({ header }) => header)?.header;
      return (found as { title?: string } | undefined)?.title;
    };
    for (const [offset, expected] of [
      [(1 << 20) - 1, "Late"],
      [1 << 20, "Late"],
      [(1 << 20) + 1, undefined],
    ] as const) {
      const bytes = Buffer.from(`${"x".repeat(offset - 1)}\n${title}\n${header}\n`);
      expect(titleOf(readWhole(bytes).lines)).toBe(expected);
      const fd = openFile(bytes);
      const state = { ...INITIAL_READ_STATE };
      const before = [...readSession(fd, state, offset + title.length + 1)];
      expect(titleOf([...before, ...readSession(fd, state, bytes.length)])).toBe(expected);
    }
  });

  test("that is repeated is skipped with a problem and is not a leaf", () => {
    const { lines, state } = readWhole(unknownTypes().bytes());
    expect(codes(lines).filter((code) => code === "second_header")).toHaveLength(1);
    expect(lines.filter(({ header }) => header)).toHaveLength(1);
    expect(state.leafId).toBe(unknownTypes().lastId);
  });

  test("is awaited in an empty file and after blank lines", () => {
    expect(readWhole("")).toEqual({ lines: [], state: INITIAL_READ_STATE });
    expect(readWhole("\n\n  \n")).toEqual({
      lines: [],
      state: { ...INITIAL_READ_STATE, offset: 5, lines: 3 },
    });
  });

  test("may have the faults of any line", () => {
    const { lines } = readWhole(session({ bom: true, header: { id: 5 } }).bytes());
    expect(codes(lines)).toEqual(["byte_order_mark", "invalid_field"]);
    expect(lines[0]?.header).not.toHaveProperty("id");
  });
});

test("offsets and lengths find each line again", () => {
  for (const { session } of catalog) {
    const bytes = session.bytes();
    for (const { offset, length, entry, problems } of readWhole(bytes).lines) {
      const text = bytes.subarray(offset, offset + length).toString();
      expect(text).not.toContain("\n");
      if (entry && problems.length === 0 && session.version > 2) expect(JSON.parse(text)).toEqual(entry);
    }
  }
});

test("the leaf is the last entry, or null if that has no id", () => {
  expect(readWhole(session().user("x").label("gone").bytes()).state.leafId).toMatch(/^[0-9a-f]{8}$/);
  expect(readWhole(session().user("x", { id: 0 }).bytes()).state.leafId).toBe(0);
  expect(readWhole(session().user("x").user("y", { id: undefined }).bytes()).state.leafId).toBeNull();
});
