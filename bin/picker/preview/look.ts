import type { Theme } from "../../format/theme.ts";
import type { PreviewLook } from "../model/questions.ts";

/** How entries are rendered, with a theme. */
export interface Look extends PreviewLook {
  theme: Theme;
}
