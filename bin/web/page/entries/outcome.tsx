/** How a call went, as one sign. */
const SIGNS = {
  done: ["✓", "done"],
  failed: ["✕", "failed"],
  partly: ["!", "done, but calls in it failed"],
  unknown: ["·", "no result"],
  unfinished: ["·", "not finished"],
} as const;

export type OutcomeKind = keyof typeof SIGNS;

export function Outcome({ kind }: { kind: OutcomeKind }) {
  const [sign, words] = SIGNS[kind];
  return (
    <span
      class={`outcome outcome-${kind === "unfinished" ? "unknown" : kind}`}
      role="img"
      aria-label={words}
      title={words}
    >
      {sign}
    </span>
  );
}
