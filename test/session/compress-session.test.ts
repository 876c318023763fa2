import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAt } from "../../src/session/lines.ts";
import { openForReading } from "../../src/session/open-for-reading.ts";
import { closeBytes, getByteCount } from "../../src/session/session-bytes.ts";
import { compressSession, decompressSession } from "../../src/session/writing/compress-session.ts";
import { findLeftovers, settleLeftovers } from "../../src/session/writing/find-leftovers.ts";
import { temporaryFolder } from "../temporary.ts";
import { type FaultRun, runWithFaults } from "./prune-faults.ts";

const LINE = '{"type":"message","id":"1"}\n';
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/"}\n';

function write(content: string | Buffer): string {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, content, { mode: 0o640 });
  return path;
}

/** All bytes of a session, read in parts of this size. */
function readAll(path: string, step = 700_000): Buffer {
  const file = openForReading(path);
  try {
    const parts: Buffer[] = [];
    for (let at = 0; at < getByteCount(file); at += step) parts.push(readAt(file, at, step));
    return Buffer.concat(parts);
  } finally {
    closeBytes(file);
  }
}

const LONG = `{"type":"message","text":"${"x".repeat(20 << 20)}"}\n`;
const CONTENTS: [name: string, content: string | Buffer][] = [
  ["a session", `${HEADER}{"type":"message"}\n`],
  ["an empty file", ""],
  ["a torn last line", `${HEADER}{"type":"mess`],
  ["bytes that are not UTF-8", Buffer.from([0xff, 0x00, 0x0a, 0xfe])],
  ["a line of several frames", HEADER + LONG + HEADER],
  ["several frames of short lines", HEADER + `{"type":"message","n":1}\n`.repeat(150_000)],
];

test.each(CONTENTS)(
  "%s is read through its path when compressed, and comes back byte for byte",
  (_, content) => {
    const path = write(content);
    utimesSync(path, 1_700_000_000.123456, 1_700_000_000.123456);
    const { mode, mtimeNs } = statSync(path, { bigint: true });
    const { bytes } = compressSession(path);
    expect([existsSync(path), bytes]).toEqual([false, Buffer.byteLength(content)]);
    expect(readAll(path).equals(Buffer.from(content))).toBe(true);
    expect(statSync(`${path}.zst`, { bigint: true })).toMatchObject({ mode, mtimeNs });
    decompressSession(path);
    expect(existsSync(`${path}.zst`)).toBe(false);
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(statSync(path, { bigint: true })).toMatchObject({ mode, mtimeNs });
  },
);

test("entries that an agent appended to a compressed session follow the others, before and after it is restored", () => {
  const path = write(HEADER);
  compressSession(path);
  appendFileSync(path, '{"type":"message"}\n');
  expect(readAll(path, 30).toString()).toBe(`${HEADER}{"type":"message"}\n`);
  decompressSession(path);
  expect(readFileSync(path, "utf8")).toBe(`${HEADER}{"type":"message"}\n`);
  expect(existsSync(`${path}.zst`)).toBe(false);
});

test("entries are joined once, in order, whatever a killed run left", () => {
  const path = write(HEADER);
  compressSession(path);
  const compressed = readFileSync(`${path}.zst`);
  const lines = [1, 2, 3].map((n) => `{"type":"message","id":"${n}"}\n`);
  writeFileSync(`${path}.tail-1`, lines[0] as string);
  writeFileSync(`${path}.tail-2`, lines[1] as string);
  appendFileSync(path, lines[2] as string);
  const all = HEADER + lines.join("");
  expect(readAll(path).toString()).toBe(all);
  expect([settleLeftovers(path), readFileSync(path, "utf8")]).toEqual(["plain", all]);
  expect(readdirSync(join(path, ".."))).toEqual(["s.jsonl"]);
  // Killed before the tails were removed, one of which has grown since.
  writeFileSync(`${path}.zst`, compressed);
  writeFileSync(`${path}.tail-1`, `${lines[0]}{"type":"message","id":"late"}\n`);
  writeFileSync(`${path}.tail-2`, lines[1] as string);
  const later = `${all}{"type":"message","id":"late"}\n`;
  expect(readAll(path).toString()).toBe(later);
  expect([settleLeftovers(path), readFileSync(path, "utf8")]).toEqual(["plain", later]);
  expect(readdirSync(join(path, ".."))).toEqual(["s.jsonl"]);
});

test("lines that were written to a retired original are joined once, with those of tails, whatever a killed run left", () => {
  const path = write(HEADER);
  compressSession(path);
  const compressed = readFileSync(`${path}.zst`);
  const [late, line] = ["late", "line"].map((id) => `{"type":"message","id":"${id}"}\n`) as [string, string];
  const leave = (files: Record<string, string>) => {
    writeFileSync(`${path}.zst`, compressed);
    for (const [suffix, content] of Object.entries(files)) writeFileSync(path + suffix, content);
  };
  const settled = () => [settleLeftovers(path), readFileSync(path, "utf8"), readdirSync(join(path, ".."))];
  const joined = ["plain", HEADER + late + line, ["s.jsonl"]];
  leave({ ".retired": HEADER + late, ".tail-1": line });
  expect(readAll(path).toString()).toBe(HEADER + late + line);
  expect(settled()).toEqual(joined);
  // Killed when the whole file had been written.
  leave({ ".retired": HEADER + late, ".tail-1": line, "": HEADER + late + line });
  expect(readAll(path).toString()).toBe(HEADER + late + line);
  expect(settled()).toEqual(joined);
  // Written to the original after it had been copied.
  leave({ ".retired": HEADER + late, ".tail-1": line, "": HEADER + line });
  expect(settled()).toEqual(["plain", HEADER + line + late, ["s.jsonl"]]);
  // The original is the plain file, and lines of the tail have been joined to it.
  leave({ ".retired": HEADER + line, ".tail-1": line });
  rmSync(path);
  linkSync(`${path}.retired`, path);
  expect(settled()).toEqual(["plain", HEADER + line, ["s.jsonl"]]);
});

test("the compressed file goes if the plain one begins with its bytes, and stays if it does not", () => {
  const path = write(HEADER);
  compressSession(path);
  const compressed = readFileSync(`${path}.zst`);
  writeFileSync(path, `${HEADER}{"type":"message"}\n`);
  expect(findLeftovers([join(path, "..")])).toEqual([path]);
  expect([settleLeftovers(path), existsSync(`${path}.zst`)]).toEqual(["plain", false]);
  writeFileSync(`${path}.zst`, compressed);
  writeFileSync(path, HEADER.replace('"s"', '"t"'));
  expect([settleLeftovers(path), existsSync(`${path}.zst`)]).toEqual(["conflict", true]);
  expect(() => decompressSession(path)).toThrow("a different session has the path");
});

test("a damaged compressed file is an error, never other bytes", () => {
  const path = write(HEADER.repeat(100));
  compressSession(path);
  const bytes = readFileSync(`${path}.zst`);
  bytes[20] = (bytes[20] as number) ^ 0xff;
  writeFileSync(`${path}.zst`, bytes);
  expect(() => readAll(path)).toThrow("cannot be decompressed");
  expect(() => decompressSession(path)).toThrow("cannot be decompressed");
  expect([existsSync(path), existsSync(`${path}.zst`)]).toEqual([false, true]);
  writeFileSync(`${path}.zst`, "not compressed");
  expect(() => readAll(path)).toThrow("has no seek table");
});

test("a link is not compressed, and a compressed session not again", () => {
  const path = write(HEADER);
  compressSession(path);
  expect(() => compressSession(path)).toThrow(expect.objectContaining({ code: "SESSION_COMPRESSED" }));
  chmodSync(`${path}.zst`, 0o600);
  expect(() => decompressSession(join(path, "..", "other.jsonl"))).toThrow(
    expect.objectContaining({ code: "NOT_FOUND" }),
  );
});

/** More: npm run soak:prune -- --runs 10000 */
test("killed at any call while others append, no byte is lost", async () => {
  const failures: ({ seed: number } & FaultRun)[] = [];
  for (let seed = 1; seed <= 60; seed++)
    failures.push({ seed, ...(await runWithFaults(temporaryFolder(), seed)) });
  expect(failures.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(failures.filter(({ killedAt }) => killedAt !== undefined).length).toBeGreaterThan(20);
});

test.skipIf(process.platform === "win32")(
  "a session that an agent keeps open stays plain, and keeps what the agent writes",
  () => {
    const path = write(HEADER);
    const fd = openSync(path, "a");
    try {
      expect(() => compressSession(path)).toThrow(/^a program has .* open for writing$/);
      writeSync(fd, LINE);
    } finally {
      closeSync(fd);
    }
    expect([readFileSync(path, "utf8"), readdirSync(join(path, ".."))]).toEqual([HEADER + LINE, ["s.jsonl"]]);
    expect(compressSession(path).bytes).toBe(HEADER.length + LINE.length);
  },
);

test.skipIf(process.platform === "win32")(
  "what an agent keeps open after compression is not removed when it is joined",
  () => {
    const path = write(HEADER);
    compressSession(path);
    const fd = openSync(path, "a");
    try {
      writeSync(fd, LINE);
      expect(settleLeftovers(path)).toBe("open");
      writeSync(fd, LINE);
      expect(readAll(path).toString()).toBe(HEADER + LINE + LINE);
      expect(() => decompressSession(path)).toThrow(expect.objectContaining({ code: "SESSION_CHANGED" }));
    } finally {
      closeSync(fd);
    }
    expect(settleLeftovers(path)).toBe("plain");
    expect([readFileSync(path, "utf8"), readdirSync(join(path, ".."))]).toEqual([
      HEADER + LINE + LINE,
      ["s.jsonl"],
    ]);
  },
);
