import { ApiError } from "./api.ts";

/** The message of an error. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error message with its hint. */
export function ErrorMessage({ error }: { error: unknown }) {
  return (
    <div class="trouble" role="alert">
      <strong>{getErrorMessage(error)}</strong>
      {error instanceof ApiError && error.hint !== "" && <div>{error.hint}</div>}
    </div>
  );
}
