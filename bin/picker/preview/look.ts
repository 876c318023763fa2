import type { Theme } from "../../format/theme.ts";

/** How an entry is to be shown. */
export interface Look {
  /** Columns there are. */
  width: number;
  theme: Theme;
  /** Thinking, arguments and output whole. */
  unfolded: boolean;
}
