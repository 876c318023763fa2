import { styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];

/** How the picker looks. */
export interface Theme {
  /** Text in a colour and weight, as far as they are wanted; each text ends what it began, on each of its lines. */
  style(format: Format, text: string): string;
  coloured: boolean;
}

/** What is no colour: it stays where none is wanted, or nothing would tell what was found from what stands around it. */
const WEIGHTS = new Set(["bold", "dim", "italic", "underline", "inverse", "strikethrough"]);

/** Colours follow `NO_COLOR` and `FORCE_COLOR`, as those of all commands do. */
export function themeOf(env: NodeJS.ProcessEnv): Theme {
  const coloured = !env.NO_COLOR && (env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : env.TERM !== "dumb");
  return {
    coloured,
    style(format, text) {
      if (text === "") return "";
      const formats = Array.isArray(format) ? format : [format];
      const wanted = coloured ? formats : formats.filter((each) => WEIGHTS.has(each));
      return wanted.length === 0 ? text : styleText(wanted, text, { validateStream: false });
    },
  };
}
