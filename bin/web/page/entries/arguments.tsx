/** What a tool was called with: names and values as a person writes them down. */
import { toJson } from "../../../format/json-text.ts";
import { oneLine } from "../../../format/safe.ts";
import { Output } from "./output.tsx";

type Fields = Record<string, unknown>;

const NONE: ReadonlyMap<string, string> = new Map();

/** So many of them are shown one by one. */
const MOST_FIELDS = 100;

interface Props {
  name: string;
  args: Fields;
  /** Those that are told elsewhere. */
  told?: ReadonlySet<string>;
  /** What one of them is written in. */
  languages?: ReadonlyMap<string, string>;
}

export function Arguments({ name, args, told, languages = NONE }: Props) {
  const all = Object.entries(args).filter(([key]) => !told?.has(key));
  if (all.length === 0) return null;
  const rest = Object.fromEntries(all.slice(MOST_FIELDS));
  return (
    <dl class="arguments">
      {all.slice(0, MOST_FIELDS).map(([key, value]) => (
        <Argument
          key={key}
          {...{ name: `${name}.${key.slice(0, 100)}`, called: key, value }}
          language={languages.get(key)}
        />
      ))}
      {all.length > MOST_FIELDS && (
        <Argument name={`${name}…`} called="…" value={rest} language={undefined} />
      )}
    </dl>
  );
}

/** Shorter values stand beside their names. */
const SHORT = 100;

interface ArgumentProps {
  name: string;
  called: string;
  value: unknown;
  language: string | undefined;
}

function Argument({ name, called, value, language }: ArgumentProps) {
  const text = typeof value === "string" ? value : toJson(value, 2);
  const isShort = text.length <= SHORT && !text.includes("\n") && language === undefined;
  return (
    <div class={isShort ? "argument-short" : undefined}>
      <dt>{oneLine(called.slice(0, 200))}</dt>
      <dd>
        {text === "" ? (
          <span class="quiet">empty</span>
        ) : (
          <Output
            {...{ name, text }}
            language={language ?? (typeof value === "string" ? undefined : "json")}
          />
        )}
      </dd>
    </div>
  );
}
