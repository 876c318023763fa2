/** The arguments of a tool call as a list of names and values. */
import { toSafeJson } from "../../../format/json-text.ts";
import { toOneLine } from "../../../format/safe.ts";
import { Output } from "./output.tsx";

type Fields = Record<string, unknown>;

const NONE: ReadonlyMap<string, string> = new Map();

/** Further arguments are shown together as JSON. */
const MAX_FIELDS = 100;

interface Props {
  name: string;
  args: Fields;
  /** Arguments that are shown elsewhere. */
  hidden?: ReadonlySet<string>;
  /** Languages by argument name. */
  languages?: ReadonlyMap<string, string>;
}

export function Arguments({ name, args, hidden, languages = NONE }: Props) {
  const all = Object.entries(args).filter(([key]) => !hidden?.has(key));
  if (all.length === 0) return null;
  const rest = Object.fromEntries(all.slice(MAX_FIELDS));
  return (
    <dl class="arguments">
      {all.slice(0, MAX_FIELDS).map(([key, value]) => (
        <Argument
          key={key}
          {...{ name: `${name}.${key.slice(0, 100)}`, label: key, value }}
          language={languages.get(key)}
        />
      ))}
      {all.length > MAX_FIELDS && <Argument name={`${name}…`} label="…" value={rest} language={undefined} />}
    </dl>
  );
}

/** Values up to this length are shown next to their names, in UTF-16 units. */
const MAX_INLINE_LENGTH = 100;

interface ArgumentProps {
  name: string;
  label: string;
  value: unknown;
  language: string | undefined;
}

function Argument({ name, label, value, language }: ArgumentProps) {
  const text = typeof value === "string" ? value : toSafeJson(value, 2);
  const isShort = text.length <= MAX_INLINE_LENGTH && !text.includes("\n") && language === undefined;
  return (
    <div class={isShort ? "argument-short" : undefined}>
      <dt>{toOneLine(label.slice(0, 200))}</dt>
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
