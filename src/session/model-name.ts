/** A model and who provides it, as entries name them. */
export interface ModelName {
  provider?: string | undefined;
  model?: string | undefined;
}

/**
 * A model's name in its two parts. Some agents write `provider/model` as one string: the provider ends at the first slash,
 * since the model's own name may have more (`openrouter/anthropic/claude-x`). Where a provider is named beside it, the
 * string is the model's name alone.
 */
export function splitModelName(written: string | undefined, provider?: string): ModelName {
  if (written === undefined || provider) return { provider, model: written };
  const slash = written.indexOf("/");
  if (slash < 0) return { provider, model: written };
  return { provider: written.slice(0, slash) || undefined, model: written.slice(slash + 1) };
}
