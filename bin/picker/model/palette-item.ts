/** An item of the command palette. */
import type { ThemeName } from "../../format/themes.ts";
import type { ActionId } from "../keys/actions.ts";
import type { TrashedSession } from "./requests.ts";

export interface PaletteItem {
  label: string;
  /** Display names of its keys, or a remark; "" if it has none. */
  keys: string;
  command: PaletteCommand;
  /** The heading above it while nothing is typed. */
  group?: string | undefined;
  /** Other words that find it. */
  synonyms?: string | undefined;
}

/** An action, a saved search to run, a theme to use, or a session to restore. */
export type PaletteCommand =
  | { action: ActionId }
  | { query: string; name: string }
  | { theme: ThemeName }
  | { restore: TrashedSession };
