import { AskError } from "./ask.ts";

/** What went wrong, and what to do about it. */
export function Trouble({ error }: { error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="trouble" role="alert">
      <strong>{message}</strong>
      {error instanceof AskError && error.hint !== "" && <div>{error.hint}</div>}
    </div>
  );
}
