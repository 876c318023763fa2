/** A model and its provider, as entries name them. */
export interface ModelName {
  provider?: string | undefined;
  model?: string | undefined;
}

/**
 * Splits a model's name into provider and model. Some agents write `provider/model` as one string; the provider ends at the
 * first slash, since the model's name may contain more (`openrouter/anthropic/claude-x`). With a separate `provider`, the
 * string is the model's name only.
 */
export function splitModelName(name: string | undefined, provider?: string): ModelName {
  if (name === undefined || provider) return { provider, model: name };
  const slash = name.indexOf("/");
  if (slash < 0) return { provider, model: name };
  return { provider: name.slice(0, slash) || undefined, model: name.slice(slash + 1) };
}
