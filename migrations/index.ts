import type { Migration } from "kysely/migration";
import * as sessions from "./0001-sessions.ts";
import * as entryText from "./0002-entry-text.ts";
import * as search from "./0003-search.ts";
import * as ledger from "./0004-ledger.ts";
import * as views from "./0005-views.ts";
import * as organising from "./0006-organising.ts";
import * as generation from "./0007-generation.ts";

/**
 * Every migration by name, in order. One that was released is never changed again: a new one follows it. Each
 * imports kysely alone, so that it goes on meaning what it meant.
 */
export const migrations: Record<string, Migration> = {
  "0001-sessions": sessions,
  "0002-entry-text": entryText,
  "0003-search": search,
  "0004-ledger": ledger,
  "0005-views": views,
  "0006-organising": organising,
  "0007-generation": generation,
};
