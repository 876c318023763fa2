interface Ending {
  stopReason?: string | undefined;
  errorMessage?: string | undefined;
}

/** What went wrong in a response, in the agent's words; undefined also if the user stopped it, which agents record in the same field. */
export function getResponseError({ stopReason, errorMessage }: Ending): string | undefined {
  if (stopReason === "aborted" && /\babort/i.test(errorMessage ?? "")) return undefined;
  return errorMessage || undefined;
}
