const LANGUAGES = new Map<string, ReadonlyMap<string, string>>([
  ["powershell", new Map([["command", "powershell"]])],
  ["codemode", new Map([["code", "javascript"]])],
]);
const COMMANDS: ReadonlyMap<string, string> = new Map([["command", "bash"]]);

/** Languages of a tool's arguments by argument name, as in Markdown code fences. */
export function argumentLanguages(
  tool: string | undefined,
  args: Record<string, unknown>,
): ReadonlyMap<string, string> {
  const languages = LANGUAGES.get((tool ?? "").toLowerCase()) ?? COMMANDS;
  return new Map([...languages].filter(([name]) => typeof args[name] === "string"));
}
