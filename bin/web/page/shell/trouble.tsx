import { AskError } from "./ask.ts";

/** What went wrong, in a sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, and what to do about it. */
export function Trouble({ error }: { error: unknown }) {
  return (
    <div class="trouble" role="alert">
      <strong>{reasonOf(error)}</strong>
      {error instanceof AskError && error.hint !== "" && <div>{error.hint}</div>}
    </div>
  );
}
