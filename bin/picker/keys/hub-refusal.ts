/** What the picker does not do with the sessions on a hub, which has no session files. Messages fit in 80 columns. */
import { PidexError } from "../../../library/index.ts";
import type { HubLocation } from "../../actions/index-location.ts";
import type { ActionId } from "./actions.ts";

/** Actions on session files, and what the user does instead once the file is on this machine. */
const REFUSED: Partial<Record<ActionId, string>> = {
  fork: "fork it",
  edit: "edit it",
  exportHtml: "export it",
  exportMarkdown: "export it",
  rename: "change it",
  tag: "change it",
  label: "change it",
  pin: "change it",
  archive: "change it",
  compress: "compress it",
  move: "change it",
  delete: "change it",
  undo: "change it",
  trash: "restore it",
};

/** Whether an action is refused on a hub. Those that resume a session work if its file is on this machine. */
export function needsFiles(action: ActionId): boolean {
  return action === "scan" || REFUSED[action] !== undefined;
}

interface HubSession {
  path: string;
  person: string | undefined;
}

/** Why an action on a session is refused, and what to do instead. */
export function formatRefusal(action: ActionId, session: HubSession | undefined, hub: HubLocation): string {
  if (action === "scan") return "a hub has no session files to search; search for words instead";
  const then = REFUSED[action] ?? "use it";
  if (session && isForeign(session, hub)) return "of another person: it can be read here, but not changed";
  const isHere = hub.machine !== undefined && session?.path.startsWith(`${hub.machine}:`);
  if (isHere) return `on this machine: ${then} without --hub`;
  return `on another machine: run pidex pull to get it, then ${then} without --hub`;
}

/** The error for a session that cannot be resumed, because its file is not on this machine. */
export function noLocalFile(session: HubSession, hub: HubLocation, wasDeleted: boolean): PidexError {
  const create = (message: string, hint: string) => new PidexError("NOT_FOUND", message, hint);
  if (wasDeleted) return create("its file on this machine was deleted", "pidex restore brings it back.");
  return isForeign(session, hub)
    ? create("this session is another person's", "It can be read here, but not resumed.")
    : create("this session is on another machine", "Run pidex pull; it fetches private sessions.");
}

function isForeign({ person }: HubSession, hub: HubLocation): boolean {
  return person !== undefined && hub.person !== undefined && person !== hub.person;
}
