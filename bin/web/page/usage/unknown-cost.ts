interface Costs {
  costUsd: number;
  messages: number;
  tokens: { total: number };
}

/** Whether there was usage, but the agent recorded no cost: the cost is unknown, not zero. */
export function isCostUnknown({ costUsd, messages, tokens }: Costs): boolean {
  return costUsd === 0 && (messages > 0 || tokens.total > 0);
}
