/** Splits the bytes of a line for display: text, bytes that are not UTF-8, and the position where it stops being JSON. */
import { isUtf8 } from "node:buffer";
import type { LineSegment } from "../api/answers.ts";
import { findJsonError } from "./find-json-error.ts";

/** Bytes shown from the start of the line. */
export const MAX_START_BYTES = 64 << 10;
/** Bytes shown on either side of a broken byte further on. */
const CONTEXT_BYTES = 2 << 10;

interface LineContext {
  /** Whether the bytes are the whole line, or only its start. */
  isWhole: boolean;
  /** Whether it is the first line of the file, which a byte order mark may precede. */
  isFirst: boolean;
}

export function splitLine(bytes: Uint8Array, { isWhole, isFirst }: LineContext): LineSegment[] {
  const mark = isFirst && hasMark(bytes) ? 3 : 0;
  const breaksIn = isWhole ? findJsonError(bytes.subarray(mark)) : undefined;
  const breaks = breaksIn === undefined ? undefined : mark + breaksIn;
  const parts: LineSegment[] = mark > 0 ? [{ kind: "bytes", hex: toHex(bytes.subarray(0, mark)) }] : [];
  let at = mark;
  for (const { from, until } of windows(bytes, breaks)) {
    if (from > at) parts.push({ kind: "omitted", bytes: from - at });
    at = Math.max(at, from);
    if (breaks !== undefined && breaks >= at && breaks < until) {
      addText(parts, bytes, at, breaks);
      const end = Math.min(until, breaks + Math.max(1, characterLength(bytes, breaks)));
      const broken = bytes.subarray(breaks, end);
      const isText = characterLength(bytes, breaks) > 0;
      if (isText) parts.push({ kind: "here", text: toText(broken) });
      else parts.push({ kind: "here", text: "" }, { kind: "bytes", hex: toHex(broken) });
      at = end;
    }
    addText(parts, bytes, at, until);
    at = Math.max(at, until);
  }
  if (breaks === bytes.length) parts.push({ kind: "here", text: "" });
  if (at < bytes.length) parts.push({ kind: "omitted", bytes: bytes.length - at });
  return parts;
}

interface Window {
  from: number;
  until: number;
}

/** The byte ranges to show: the start, and the surroundings of broken bytes. Never splits a character. */
function windows(bytes: Uint8Array, breaks: number | undefined): Window[] {
  const head = { from: 0, until: Math.min(bytes.length, MAX_START_BYTES) };
  const offsets = [breaks, findInvalidByte(bytes)].filter(
    (offset) => offset !== undefined && offset >= head.until,
  );
  const all = [head, ...offsets.map((offset) => around(offset as number, bytes.length))];
  const joined: Window[] = [];
  for (const window of all.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && window.from <= last.until) last.until = Math.max(last.until, window.until);
    else joined.push({ ...window });
  }
  return joined.map(({ from, until }) => ({
    from: alignToCharacter(bytes, from),
    until: alignToCharacter(bytes, until),
  }));
}

function around(offset: number, length: number): Window {
  return { from: Math.max(0, offset - CONTEXT_BYTES), until: Math.min(length, offset + CONTEXT_BYTES) };
}

/** The start of the character that contains the byte. */
function alignToCharacter(bytes: Uint8Array, offset: number): number {
  for (let at = offset; at > offset - 4 && at > 0; at--) {
    const byte = bytes[at];
    if (byte === undefined || (byte & 0xc0) !== 0x80)
      return characterLength(bytes, at) > offset - at ? at : offset;
  }
  return offset;
}

/** The first byte that is not valid UTF-8. */
function findInvalidByte(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return undefined;
}

/** Adds segments of text and of bytes that are not UTF-8. */
function addText(parts: LineSegment[], bytes: Uint8Array, from: number, until: number): void {
  let begin = from;
  while (begin < until) {
    const isText = characterLength(bytes, begin) > 0;
    let end = begin;
    while (end < until) {
      const length = characterLength(bytes, end);
      if (length > 0 !== isText) break;
      end += Math.max(1, length);
    }
    const run = bytes.subarray(begin, Math.min(end, until));
    parts.push(isText ? { kind: "text", text: toText(run) } : { kind: "bytes", hex: toHex(run) });
    begin = end;
  }
}

/** Length of the UTF-8 character at an offset, in bytes; 0 if it is invalid. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").match(/../g)?.join(" ") ?? "";
}
