/**
 * What is asked and answered, as zod schemas: the contract that docs/json.md is written from, for rooms that describe it to
 * other programs. Apart from the front door, since a short command has no need of zod.
 */
export {
  ClosestJson,
  EntryIdJson,
  FileTouchJson,
  HitJson,
  SessionInfoJson,
  Time,
  TreeEntryJson,
} from "../query/answers.ts";
export { ListOptions, SearchOptions, TouchAction } from "../query/options.ts";
export { FiguresJson, UsageGroupJson, UsageJson, UsageRowJson } from "../query/usage/usage-answers.ts";
export { UsageDimension } from "../query/usage/usage-options.ts";
