/** What the picker does not do with the sessions on a hub, which has no session files. */
import type { HubLocation } from "../../actions/index-location.ts";
import type { ActionId } from "./actions.ts";

/** Actions on session files, and what the user does instead once the file is on this machine. */
const REFUSED: Partial<Record<ActionId, string>> = {
  resume: "resume it",
  copy: "resume it",
  fork: "fork it",
  edit: "edit it",
  exportHtml: "export it",
  exportMarkdown: "export it",
  rename: "change it",
  tag: "change it",
  label: "change it",
  pin: "change it",
  archive: "change it",
  move: "change it",
  delete: "change it",
  undo: "change it",
};

/** Whether an action needs session files. */
export function needsFiles(action: ActionId, printsSelection: boolean): boolean {
  if (action === "resume") return !printsSelection;
  return action === "scan" || REFUSED[action] !== undefined;
}

/** Why an action on a session is refused, and what to do instead, within 80 columns. */
export function formatRefusal(action: ActionId, path: string | undefined, { machine }: HubLocation): string {
  if (action === "scan") return "a hub has no session files to search; search for words instead";
  const then = REFUSED[action] ?? "use it";
  const isHere = machine !== undefined && path?.startsWith(`${machine}:`);
  if (isHere) return `on this machine: ${then} without --hub`;
  return `on another machine: run pidex pull to get it, then ${then} without --hub`;
}
