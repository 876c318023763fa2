import { join } from "node:path";
import { at, type Fields, fork, response, upgraded, v3 } from "../ledger-files.ts";
import { type LedgerCase, severalFiles, singleFile, version1Session, version3Session } from "./case.ts";

const MILLISECONDS = Date.parse(at(1));
/** Lines with times in another format, in entries and messages. */
const timed = (text: string, write: (time: string) => unknown): string =>
  text
    .split("\n")
    .map((line) =>
      line.replace(/"timestamp":("[^"]*")/g, (_, time: string) => {
        const written = write(JSON.parse(time) as string);
        return `"timestamp":${JSON.stringify(written ?? null)}`;
      }),
    )
    .join("\n");
const inMilliseconds = (time: string) => Date.parse(time);
const inSeconds = (time: string) => Date.parse(time) / 1000;
export const untimed = (text: string): string => text.replaceAll(/"timestamp":"[^"]*",?/g, "");
const DAY = "2026-01-05";

export const TIMES: LedgerCase[] = [
  {
    ...singleFile("in milliseconds", timed(version3Session(), inMilliseconds), 1.5, 26),
    usdByDay: { [DAY]: 1.5 },
  },
  { ...singleFile("in seconds", timed(version3Session(), inSeconds), 1.5, 26), usdByDay: { [DAY]: 1.5 } },
  {
    ...singleFile(
      "in seconds with a fraction",
      timed(version3Session(), (time) => inSeconds(time) + 0.25),
      1.5,
      26,
    ),
    usdByDay: { [DAY]: 1.5 },
  },
  {
    ...singleFile(
      "in seconds, only in messages",
      v3("a", [
        {
          ...response("x", 1, 1),
          timestamp: undefined,
          message: { ...(response("x", 1, 1).message as Fields), timestamp: MILLISECONDS / 1000 },
        },
      ]),
      1,
    ),
    usdByDay: { [DAY]: 1 },
  },
  {
    ...singleFile("outside the range of dates", v3("a", [{ ...response("x", 1, 1), timestamp: 9e15 }]), 1),
    usdByDay: { "": 1 },
  },
  {
    ...severalFiles(
      "in milliseconds, only in a fork",
      (root) => ({
        "a.jsonl": version3Session(),
        "b.jsonl": timed(
          fork(version3Session(), "bbbb", join(root, "a.jsonl"), [response("b1", 70, 2)]),
          inMilliseconds,
        ),
      }),
      3.5,
      3,
    ),
    usdByDay: { [DAY]: 3.5 },
  },
  severalFiles(
    "in seconds, and a fork",
    (root) => ({
      "a.jsonl": timed(version3Session(), inSeconds),
      "b.jsonl": timed(
        fork(version3Session(), "bbbb", join(root, "a.jsonl"), [response("b1", 70, 2)]),
        inSeconds,
      ),
    }),
    3.5,
    3,
  ),
  severalFiles(
    "in milliseconds in a version 1 session and its upgraded copy",
    () => ({
      "a.jsonl": timed(version1Session(), inMilliseconds),
      "b.jsonl": timed(upgraded(version1Session(), "u"), inMilliseconds),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "in milliseconds in two upgraded copies",
    () => ({
      "a.jsonl": timed(upgraded(version1Session(), "u"), inMilliseconds),
      "b.jsonl": timed(upgraded(version1Session(), "v"), inMilliseconds),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "with another UTC offset in a copy",
    () => ({
      "a.jsonl": version3Session(),
      "b.jsonl": timed(version3Session(), (time) => time.replace("T09", "T11").replace("Z", "+02:00")),
    }),
    1.5,
    2,
  ),
  severalFiles(
    "that are missing, in a session and its fork",
    (root) => ({
      "a.jsonl": untimed(version3Session()),
      "b.jsonl": untimed(fork(version3Session(), "bbbb", join(root, "a.jsonl"), [response("b1", 70, 2)])),
    }),
    3.5,
    3,
  ),
  severalFiles(
    "that are missing, in a version 1 session and its upgraded copy",
    () => ({ "a.jsonl": untimed(version1Session()), "b.jsonl": untimed(upgraded(version1Session(), "u")) }),
    1.75,
    3,
  ),
  severalFiles(
    "that are missing, in two upgraded copies",
    () => ({
      "a.jsonl": untimed(upgraded(version1Session(), "u")),
      "b.jsonl": untimed(upgraded(version1Session(), "v")),
    }),
    1.75,
    3,
  ),
  severalFiles(
    "that are missing, in unrelated sessions of version 1",
    () => ({ "a.jsonl": untimed(version1Session("aaaa")), "b.jsonl": untimed(version1Session("bbbb")) }),
    3.5,
    6,
  ),
  singleFile(
    "that are missing, as are ids",
    v3("a", [
      { ...response(undefined, 1, 1, "Same"), timestamp: undefined },
      { ...response(undefined, 1, 1, "Same"), timestamp: undefined },
    ]),
    2,
    26,
  ),
];
