import { getRawFigures } from "../format/usage-csv.ts";
import type { CommandName } from "./commands.ts";

/** Columns by the options that select them; `""` without such an option. */
type PipedColumns = Readonly<Record<string, readonly string[]>>;

const FIGURES = getRawFigures({});
const HIT = ["path:line", "entry", "role or type", "snippet"];
const CHANGED = { "": ["path", "new value"], "--dry-run": ["path", "line to append"] };
const TRASHED = ["id", "time", "original path", "path in the trash", "bytes", "title"];
const EVENT = [
  ...["path:line", "time", "costUsd", "input", "output", "cacheRead", "cacheWrite"],
  ...["kind", "provider", "model", "tool", "agent", "stop"],
];

/** The columns of commands that print tab-separated lines in a pipe. Help lists them, because the output has no header. */
export const PIPED_COLUMNS: { readonly [Name in CommandName]?: PipedColumns } = {
  list: { "": ["time", "id", "messages", "folder", "path", "title"] },
  search: { "": HIT, "--facets": ["facet", "value", "hits", "sessions"] },
  files: { "": ["path:line", "entry", "action", "time", "touched path"] },
  blame: { "": ["line", "path:line of the call", "time", "confidence", "commit", "prompt", "text"] },
  commit: {
    "": ["commit", "session path", "lines", "removed lines", "files", "confidence", "costUsd"],
    "--uncommitted": ["file", "session path", "lines", "confidence", "costUsd"],
  },
  labels: { "": ["label", "time", "entry", "path:line"] },
  tags: { "": ["tag", "sessions", "time"] },
  stats: { "--problems": ["path", "line", "byte offset", "code", "message"] },
  usage: {
    "": ["the dimensions", ...FIGURES],
    "--running": ["these and runningCostUsd"],
    "--estimates": ["these and estimatedUsd"],
    "--explain": EVENT,
  },
  spend: {
    "": ["part", "its name or path", ...FIGURES],
    "--estimates": ["these and estimatedUsd"],
    "--explain": EVENT,
  },
  budget: {
    "": ["budget", "spent", "share", "left", "projected", "end of the period", "state", "estimated"],
  },
  prices: {
    "": [
      ...["model", "from", "input", "output", "cache read", "cache write", "1 h cache write"],
      ...["long prompts", "origin"],
    ],
  },
  sql: { "": ["as selected"], "--schema": ["view", "column", "type", "description"] },
  name: CHANGED,
  label: CHANGED,
  pin: CHANGED,
  archive: CHANGED,
  tag: CHANGED,
  move: { "": ["new path"], "--dry-run": ["path", "new path", "header"] },
  fork: { "": ["path of the fork"], "--dry-run": ["folder", "entries", "header"] },
  delete: { "": ["path", "trash", "path in the trash"] },
  trash: { "": TRASHED },
  restore: { "": ["path"], "without a session": TRASHED },
  share: { "without a folder": ["folder", "shared with", "project", "sessions", "pushed sessions"] },
  push: { "--dry-run": ["folder", "shared with", "project", "sessions", "bytes"] },
  verify: { "": ["path", "line", "table", "column", "difference", "indexed", "expected"] },
  secrets: {
    "": ["kind", "number of the secret", "masked text", "path:line", "entry", "JSON path", "time"],
  },
  config: { "": ["setting", "value", "source"] },
  "hub status": { "": ["name", "value"] },
  "hub members": { "": ["name", "role", "joined", "machines", "bytes"] },
  "hub machines": { "": ["name", "member", "joined", "last seen", "revoked", "sessions", "bytes"] },
  "hub retention": { "": ["project", "days"] },
  "hub audit": { "": ["time", "member", "machine", "action", "target"] },
};
