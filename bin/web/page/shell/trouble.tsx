import { AskError } from "./ask.ts";

/** The message of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error message with its hint. */
export function Trouble({ error }: { error: unknown }) {
  return (
    <div class="trouble" role="alert">
      <strong>{reasonOf(error)}</strong>
      {error instanceof AskError && error.hint !== "" && <div>{error.hint}</div>}
    </div>
  );
}
