/** The bytes of a line as they can be shown: text, what is none, and where it stops being JSON. */
import { isUtf8 } from "node:buffer";
import type { LinePart } from "../api/answers.ts";
import { whereJsonBreaks } from "./where-json-breaks.ts";

/** How much of the line's beginning is shown, in bytes. */
export const HEAD_BYTES = 64 << 10;
/** How much on either side of what is broken farther on. */
const AROUND_BYTES = 2 << 10;

/** What is known of a line. */
interface Known {
  /** Whether the bytes are all of it, or its beginning alone. */
  isWhole: boolean;
  /** Whether it is the file's first: a byte order mark before it is no part of it. */
  isFirst: boolean;
}

export function lineParts(bytes: Uint8Array, { isWhole, isFirst }: Known): LinePart[] {
  const mark = isFirst && hasMark(bytes) ? 3 : 0;
  const breaksIn = isWhole ? whereJsonBreaks(bytes.subarray(mark)) : undefined;
  const breaks = breaksIn === undefined ? undefined : mark + breaksIn;
  const parts: LinePart[] = mark > 0 ? [{ kind: "bytes", hex: hexOf(bytes.subarray(0, mark)) }] : [];
  let at = mark;
  for (const { from, until } of windows(bytes, breaks)) {
    if (from > at) parts.push({ kind: "left", bytes: from - at });
    at = Math.max(at, from);
    if (breaks !== undefined && breaks >= at && breaks < until) {
      addText(parts, bytes, at, breaks);
      const end = Math.min(until, breaks + Math.max(1, characterAt(bytes, breaks)));
      const broken = bytes.subarray(breaks, end);
      const isText = characterAt(bytes, breaks) > 0;
      if (isText) parts.push({ kind: "here", text: textOf(broken) });
      else parts.push({ kind: "here", text: "" }, { kind: "bytes", hex: hexOf(broken) });
      at = end;
    }
    addText(parts, bytes, at, until);
    at = Math.max(at, until);
  }
  if (breaks === bytes.length) parts.push({ kind: "here", text: "" });
  if (at < bytes.length) parts.push({ kind: "left", bytes: bytes.length - at });
  return parts;
}

interface Window {
  from: number;
  until: number;
}

/** What of a line is shown: its beginning, and what lies around what is broken; never a part of a character. */
function windows(bytes: Uint8Array, breaks: number | undefined): Window[] {
  const head = { from: 0, until: Math.min(bytes.length, HEAD_BYTES) };
  const places = [breaks, firstBroken(bytes)].filter((place) => place !== undefined && place >= head.until);
  const all = [head, ...places.map((place) => around(place as number, bytes.length))];
  const joined: Window[] = [];
  for (const window of all.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && window.from <= last.until) last.until = Math.max(last.until, window.until);
    else joined.push({ ...window });
  }
  return joined.map(({ from, until }) => ({ from: aligned(bytes, from), until: aligned(bytes, until) }));
}

function around(place: number, length: number): Window {
  return { from: Math.max(0, place - AROUND_BYTES), until: Math.min(length, place + AROUND_BYTES) };
}

/** The beginning of the character that a byte is in. */
function aligned(bytes: Uint8Array, place: number): number {
  for (let at = place; at > place - 4 && at > 0; at--) {
    const byte = bytes[at];
    if (byte === undefined || (byte & 0xc0) !== 0x80) return characterAt(bytes, at) > place - at ? at : place;
  }
  return place;
}

/** The first byte that is no UTF-8. */
function firstBroken(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return undefined;
}

/** Adds text, and runs of bytes that are none. */
function addText(parts: LinePart[], bytes: Uint8Array, from: number, until: number): void {
  let begin = from;
  while (begin < until) {
    const isText = characterAt(bytes, begin) > 0;
    let end = begin;
    while (end < until) {
      const length = characterAt(bytes, end);
      if (length > 0 !== isText) break;
      end += Math.max(1, length);
    }
    const run = bytes.subarray(begin, Math.min(end, until));
    parts.push(isText ? { kind: "text", text: textOf(run) } : { kind: "bytes", hex: hexOf(run) });
    begin = end;
  }
}

/** How many bytes the character at a place has in UTF-8: 0 where there is none. */
function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").match(/../g)?.join(" ") ?? "";
}
