import type { Theme } from "../../format/theme.ts";

/** How entries are rendered. */
export interface Look {
  /** Width in columns. */
  width: number;
  theme: Theme;
  /** Whether thinking, arguments and output are expanded. */
  unfolded: boolean;
}
