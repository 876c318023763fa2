import { toSafe } from "../bin/format/safe.ts";

/** Whether a terminal shows a text unchanged. */
export const isSafe = (text: string): boolean => toSafe(text) === text;
