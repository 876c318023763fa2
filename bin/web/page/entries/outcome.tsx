/** The outcome of a call as a symbol and its label. */
const OUTCOMES = {
  done: ["✓", "done"],
  failed: ["✕", "failed"],
  partly: ["!", "done, but nested calls failed"],
  unknown: ["·", "no result"],
  unfinished: ["·", "not finished"],
} as const;

export type OutcomeKind = keyof typeof OUTCOMES;

export function Outcome({ kind }: { kind: OutcomeKind }) {
  const [symbol, label] = OUTCOMES[kind];
  return (
    <span
      class={`outcome outcome-${kind === "unfinished" ? "unknown" : kind}`}
      role="img"
      aria-label={label}
      title={label}
    >
      {symbol}
    </span>
  );
}
