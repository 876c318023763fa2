/** The arguments of a tool call as a list of names and values. */
import { toSafeJson } from "../../../format/json-text.ts";
import { toOneLine } from "../../../format/safe.ts";
import { Output } from "./output.tsx";

type Fields = Record<string, unknown>;

/** Languages of arguments by tool and argument, as in Markdown code fences. */
const LANGUAGES = new Map<string, ReadonlyMap<string, string>>([
  ["powershell", new Map([["command", "powershell"]])],
  ["codemode", new Map([["code", "javascript"]])],
]);
const COMMANDS: ReadonlyMap<string, string> = new Map([["command", "bash"]]);

/** Languages of a tool's arguments by argument name. */
export function argumentLanguages(tool: string | undefined, args: Fields): ReadonlyMap<string, string> {
  const languages = LANGUAGES.get((tool ?? "").toLowerCase()) ?? COMMANDS;
  return new Map([...languages].filter(([name]) => typeof args[name] === "string"));
}

/** Further arguments are shown together as JSON. */
const MAX_FIELDS = 100;

interface Props {
  name: string;
  tool: string | undefined;
  args: Fields;
  /** Arguments that are shown elsewhere. */
  hidden: ReadonlySet<string> | undefined;
}

export function Arguments({ name, tool, args, hidden }: Props) {
  const languages = argumentLanguages(tool, args);
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
  const shownAs = language ?? (typeof value === "string" ? undefined : "json");
  const isShort = text.length <= MAX_INLINE_LENGTH && !text.includes("\n") && language === undefined;
  return (
    <div class={isShort ? "argument-short" : undefined}>
      <dt>{toOneLine(label.slice(0, 200))}</dt>
      <dd>
        {text === "" ? <span class="quiet">empty</span> : <Output {...{ name, text }} language={shownAs} />}
      </dd>
    </div>
  );
}
