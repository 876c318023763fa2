/**
 * The names under which a model may be priced, best first: as recorded, and at its maker, without what providers add to it.
 *
 * @example
 * toModelNames("us.anthropic.claude-sonnet-4-5-20250929-v1:0").at(-1); // "claude-sonnet-4-5"
 * toModelNames("anthropic/claude-sonnet-4.5").at(-1); // "claude-sonnet-4-5"
 */
export function toModelNames(model: string): string[] {
  const recorded = model.toLowerCase();
  const names = [recorded];
  for (const shorten of SHORTER) names.push(shorten(names.at(-1) as string));
  return [...new Set(names)];
}

/** Each removes something from a name, or changes nothing. */
const SHORTER: readonly ((name: string) => string)[] = [
  (name) => name.slice(name.lastIndexOf("/") + 1), // OpenRouter's maker
  (name) => name.replace(/^(?:(?:us|eu|apac|global|au|jp|ca|us-gov)\.)?[a-z]+\.(?=[a-z])/, ""), // Amazon Bedrock's
  (name) => name.replace(/-v\d+(?::\d+)?(?::\w+)?$/, ""),
  (name) => name.replace(/:[\w-]+$/, ""), // OpenRouter's variant
  (name) => name.replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, ""),
  (name) => (name.startsWith("claude") ? name.replaceAll(".", "-") : name),
  (name) =>
    name.replace(/^claude-(opus|sonnet|haiku)-(3)(?:-(\d))?/, (_, kind, ...version) =>
      oldName(kind, version),
    ),
  (name) => name.replace(/-(?:latest|thinking|fast|high|medium|low|xhigh|max)$/, ""),
  (name) => name.replace(/-preview(?:-[\d-]+)?$/, ""),
];

/** Generation 3 of Claude has its version first: `claude-3-5-sonnet`. */
function oldName(kind: string, version: (string | undefined)[]): string {
  return `claude-${version
    .slice(0, 2)
    .filter((part) => part !== undefined)
    .join("-")}-${kind}`;
}
