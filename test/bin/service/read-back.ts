/** Readers of what pidex writes for systemd and launchd, by their documentation and by nothing of pidex's. */

/** The words of a line of a systemd unit: quotes, backslashes and specifiers (`%%`) understood. */
export function systemdWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] as string;
    if (sign === "\\") word = (word ?? "") + line[++at];
    else if (quote !== "" && sign === quote) quote = "";
    else if (quote === "" && (sign === '"' || sign === "'")) {
      quote = sign;
      word ??= "";
    } else if (quote === "" && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + sign;
  }
  if (quote !== "") throw new Error(`a quote is open: ${line}`);
  if (word !== undefined) words.push(word);
  return words.map((each) =>
    each.replace(/%(.?)/g, (_, sign) => {
      if (sign !== "%") throw new Error(`a specifier: ${each}`);
      return "%";
    }),
  );
}

/** What a unit runs, and with which variables. Variables are put into all words of a command but the first. */
export function readUnit(unit: string): { argv: string[]; environment: Record<string, string> } {
  const values = (key: string) =>
    unit.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  const [program = "", ...args] = systemdWords(values("ExecStart")[0] ?? "");
  const expanded = args.map((word) =>
    word.replace(/\$(.?)/g, (_, sign) => {
      if (sign !== "$") throw new Error(`a variable: ${word}`);
      return "$";
    }),
  );
  const variables = values("Environment").flatMap(systemdWords);
  return { argv: [program, ...expanded], environment: Object.fromEntries(variables.map(pair)) };
}

function pair(assignment: string): [string, string] {
  const at = assignment.indexOf("=");
  return [assignment.slice(0, at), assignment.slice(at + 1)];
}

/** The same of a property list. */
export function readAgent(plist: string): { argv: string[]; environment: Record<string, string> } {
  const part = (key: string, tag: string) =>
    new RegExp(`<key>${key}</key>\\s*<${tag}>([\\s\\S]*?)</${tag}>`).exec(plist)?.[1] ?? "";
  const strings = (text: string, tag: string) =>
    [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(([, inner]) =>
      plain(inner as string),
    );
  const variables = part("EnvironmentVariables", "dict");
  const [names, values] = [strings(variables, "key"), strings(variables, "string")];
  return {
    argv: strings(part("ProgramArguments", "array"), "string"),
    environment: Object.fromEntries(names.map((name, n) => [name, values[n] ?? ""])),
  };
}

function plain(xml: string): string {
  if (/[<>]/.test(xml)) throw new Error(`an XML sign: ${xml}`);
  return xml.replace(/&(.*?);/g, (_, name) => {
    const sign = { amp: "&", lt: "<", gt: ">" }[name as string];
    if (!sign) throw new Error(`no entity of XML: ${name}`);
    return sign;
  });
}
