/** What the picker does not do with the sessions on a hub, which has no session files. */
import type { HubLocation } from "../../actions/index-location.ts";
import type { ActionId } from "./actions.ts";

const REFUSED: readonly ActionId[] = ["rename", "delete", "undo", "label", "pin", "scan", "copy"];

/** Whether an action needs session files. */
export function needsFiles(action: ActionId, printsSelection: boolean): boolean {
  return REFUSED.includes(action) || (action === "resume" && !printsSelection);
}

/** Why an action on a session is refused, and what to do instead, within 80 columns. */
export function formatRefusal(action: ActionId, path: string | undefined, { machine }: HubLocation): string {
  if (action === "scan") return "a hub has no session files to search; search for words instead";
  const then = action === "resume" || action === "copy" ? "resume it" : "change it";
  const isHere = machine !== undefined && path?.startsWith(`${machine}:`);
  if (isHere) return `on this machine: ${then} without --hub`;
  return `on another machine: run pidex pull to get it, then ${then} without --hub`;
}
