/** An item of the command palette. */
import type { ThemeName } from "../../format/themes.ts";
import type { ActionId } from "../keys/actions.ts";

export interface PaletteItem {
  label: string;
  /** Display names of its keys; "" if it has none. */
  keys: string;
  command: PaletteCommand;
}

/** An action, a query to run, or a theme to use. */
export type PaletteCommand = { action: ActionId } | { query: string } | { theme: ThemeName };
