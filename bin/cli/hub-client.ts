import { HubClient } from "../../library/hub/client.ts";
import { requireSignIn, type SignIn } from "../../library/hub/sign-in.ts";
import { PidexError } from "../../library/index.ts";
import { MOMENT_HINT, parseMoment } from "../../library/internal.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

/** The hub that this machine is signed in to. @throws PidexError `NOT_SIGNED_IN` */
export function openClient(): { client: HubClient; signIn: SignIn } {
  const signIn = requireSignIn();
  return { client: new HubClient(signIn), signIn };
}

interface List<Item> {
  /** The name of the list in JSON. */
  name: string;
  items: readonly Item[];
  columns: readonly Column[];
  /** The cells of an item for people. */
  toCells: (item: Item) => string[];
  /** Printed on a terminal if there are no items. */
  empty: string;
}

interface JsonFlags {
  json?: boolean;
  ndjson?: boolean;
}

/** Writes a list as JSON, as a table, or tab-separated for scripts with the values of its items. */
export async function writeList<Item extends object>(
  io: Io,
  flags: JsonFlags,
  { name, items, columns, toCells, empty }: List<Item>,
): Promise<void> {
  if (flags.json) await writeJson(io, { [name]: items });
  else if (flags.ndjson) await writeJsonLines(io, items);
  else if (!io.isTerminal) {
    await io.out(items.map((item) => formatRow(Object.values(item).map(toField))).join(""));
  } else if (items.length === 0) await io.out(`${empty}\n`);
  else await io.out(formatTable(io, columns, items.map(toCells)));
}

/** Shelves are the only objects. */
function toField(value: unknown): string | number | null {
  if (value !== null && typeof value === "object" && "project" in value) return String(value.project);
  return typeof value === "number" || value === null ? value : String(value);
}

/** A moment in Unix milliseconds. @throws PidexError `BAD_OPTION` */
export function readMoment(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (moment !== undefined) return Number(moment);
  throw new PidexError(
    "BAD_OPTION",
    `${name}: ${JSON.stringify(text)} is not a date, time or age`,
    MOMENT_HINT,
  );
}

/**
 * Asks whether to go on.
 *
 * @param what is to be done, for the error if there is no terminal to ask on: "delete sessions"
 * @throws PidexError `BAD_OPTION` without a terminal
 */
export async function confirm(io: Io, question: string, what: string): Promise<boolean> {
  if (!io.ask) {
    throw new PidexError(
      "BAD_OPTION",
      `refusing to ${what} without confirmation`,
      "Pass --yes to skip the prompt.",
    );
  }
  return /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
}
