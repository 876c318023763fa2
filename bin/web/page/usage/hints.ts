/** What figures mean, in a sentence. docs/usage.md has the definitions. */
export const HINTS = {
  responses: "Messages written by a model, each the answer to one request.",
  turns: "Messages from a person.",
  input: "Tokens sent to the model that were neither read from nor written to the cache.",
  output: "Tokens that the model wrote, reasoning included.",
  cacheRead: "Tokens sent again and read from the provider's cache, which costs a fraction of new input.",
  cacheWrite: "Tokens sent and stored in the provider's cache for later requests.",
  cacheHits: "The share of all tokens sent that was read from the provider's cache.",
  subagents: "Subagents are sessions started by a tool call of another session.",
  cost: "In US dollars, as session files record it. Models without a price, and subscriptions, are recorded as 0. A response copied into forks counts once. Sessions in the trash do not count.",
  failed: "Tool calls that ended with an error.",
} as const;

/** The figures that are explained at the end of the page, in this order. */
export const GLOSSARY: readonly (readonly [name: string, hint: string])[] = [
  ["Model responses", HINTS.responses],
  ["Turns", HINTS.turns],
  ["Input", HINTS.input],
  ["Output", HINTS.output],
  ["Cache read", HINTS.cacheRead],
  ["Cache write", HINTS.cacheWrite],
  ["Cache hits", HINTS.cacheHits],
  ["Cost", HINTS.cost],
  ["Subagents", HINTS.subagents],
  ["Failed tool calls", HINTS.failed],
];

/** What usage without a recorded value is, by dimension. */
export const UNRECORDED_HINTS: ReadonlyMap<string, string> = new Map([
  ["model", "usage that session files record without a model, such as compactions and summaries."],
  ["provider", "usage that session files record without a provider, such as compactions and summaries."],
  ["project", "usage of sessions that record no working directory."],
  ["tool", "usage outside of tools. A tool has usage of its own only if it calls models itself."],
]);
