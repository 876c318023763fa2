import type { Theme } from "../../format/theme.ts";
import type { RenderOptions } from "../model/requests.ts";

/** How entries are rendered, with a theme. */
export interface ThemedRenderOptions extends RenderOptions {
  theme: Theme;
}
