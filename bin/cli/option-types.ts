/** The definitions of commands and options, and the types of the values that are parsed. */

/** As commander takes them: `-n, --limit <n>`, and its description. `option-values.ts` has how values are read. */
export type OptionDefinition = readonly [flags: string, description: string, details?: Details];

interface Details {
  choices?: readonly string[];
  /** Other values that are accepted, but not listed. */
  aliases?: readonly string[];
  /** The greatest number. */
  max?: number;
  /** Whether values of repeated options are collected. */
  repeats?: true;
  default?: number;
  /** The environment variable with the value to use without the option. */
  env?: string;
  conflicts?: readonly string[];
  /** Of `--no-named`: help has it in the line of `--named`, as `--[no-]named`. */
  isPaired?: true;
  /** For pidex's own scripts: not in help and completions. */
  hidden?: true;
}

/** The groups of commands in `pidex --help`, in this order. */
export const GROUPS = ["Find", "Read", "Costs", "Organize", "Maintain", "Integrate", "Hub"] as const;

export interface CommandDefinition {
  description: string;
  /** Subcommands have none. */
  group?: (typeof GROUPS)[number];
  /** Other names of the command. */
  aliases?: readonly string[];
  /** Descriptions by name, some with choices and their aliases; `"others"` accepts other words too. */
  args?: Readonly<
    Record<
      string,
      | string
      | readonly [description: string, choices: readonly string[], aliases?: readonly string[] | "others"]
    >
  >;
  /** The options that help lists first. */
  options?: readonly OptionDefinition[];
  /** Further options, by the heading under which help lists them. */
  groups?: Readonly<Record<string, readonly OptionDefinition[]>>;
  /** Text below the help. */
  help?: string;
  /** The hint below a usage error, in place of the usual one. */
  errorHint?: string;
}

/** The values of options by their names. */
export type ValuesOf<O extends OptionDefinition> = {
  [D in O as NameOf<D[0]>]?: ValueOf<D>;
} & { [D in Extract<O, readonly [string, string, { default: number }]> as NameOf<D[0]>]: ValueOf<D> };

/** `-n, --week-start <day>` is `weekStart`; `--no-named` is `named`. */
type NameOf<Flags extends string> = Flags extends `${string}--${infer Long}`
  ? Camel<Long extends `${infer Name} ${string}` ? Name : Long>
  : never;
type Camel<Name extends string> = Name extends `no-${infer Positive}`
  ? Camel<Positive>
  : Name extends `${infer Word}-${infer Rest}`
    ? `${Word}${Capitalize<Camel<Rest>>}`
    : Name;

type ValueOf<D extends OptionDefinition> = D[2] extends {
  choices: readonly (infer Choice)[];
  repeats: true;
}
  ? Choice[]
  : D[2] extends { choices: readonly (infer Choice)[] }
    ? Choice | (D[0] extends `${string}[${string}` ? true : never)
    : D[2] extends { repeats: true }
      ? string[] | (D[0] extends `${string}[${string}` ? true : never)
      : D[0] extends `${string}[fields]`
        ? string[] | true
        : D[0] extends `${string}<n>` | `${string}<seconds>`
          ? number
          : D[0] extends `${string}<list>`
            ? string[]
            : D[0] extends `${string}<${string}`
              ? string
              : boolean;
