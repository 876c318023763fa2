import { styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];

/** The picker's text styles. */
export interface Theme {
  /** Styles a text, without colors if they are disabled. Styles end with the text and at the end of each line. */
  style(format: Format, text: string): string;
  /** Styles a whole line as selected: with a background, or inverse without colors. The line may contain other styles. */
  select(line: string): string;
}

/** Styles that are not colors. They stay when colors are disabled, so that matches remain visible. */
const WEIGHTS = new Set(["bold", "dim", "italic", "underline", "inverse", "strikethrough"]);

/** The theme for an environment. Colors follow `NO_COLOR` and `FORCE_COLOR`, as in all commands. */
export function createTheme(env: NodeJS.ProcessEnv): Theme {
  const colored = !env.NO_COLOR && (env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : env.TERM !== "dumb");
  const background = isLight(env) ? 253 : 237;
  return {
    select: (line) => (colored ? `\x1b[48;5;${background}m${line}\x1b[49m` : `\x1b[7m${line}\x1b[27m`),
    style(format, text) {
      if (text === "") return "";
      const formats = Array.isArray(format) ? format : [format];
      const enabled = colored ? formats : formats.filter((each) => WEIGHTS.has(each));
      return enabled.length === 0 ? text : styleText(enabled, text, { validateStream: false });
    },
  };
}

/** Whether the terminal says that its background is light: `0;15` is black on white. */
function isLight({ COLORFGBG = "" }: NodeJS.ProcessEnv): boolean {
  return /;(?:7|15)$/.test(COLORFGBG);
}
