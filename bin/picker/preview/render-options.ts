import type { Theme } from "../../format/theme.ts";

/** How entries are rendered. */
export interface RenderOptions {
  theme: Theme;
  /** Width in columns. */
  width: number;
  /** Whether thinking, arguments and output are expanded. */
  isExpanded: boolean;
}
