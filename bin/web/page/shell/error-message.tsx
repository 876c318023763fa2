import { ApiError } from "./api.ts";

/** The message of an error. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the page says in place of hints for the command line. */
const PAGE_HINTS: ReadonlyMap<string, string> = new Map([
  ["Correct the option or omit it.", "Correct it in the address of this page, or choose another value."],
]);

/** An error message with its hint. */
export function ErrorMessage({ error }: { error: unknown }) {
  return (
    <div class="trouble" role="alert">
      <strong>{startSentence(getErrorMessage(error))}</strong>
      {error instanceof ApiError && error.hint !== "" && (
        <div>{PAGE_HINTS.get(error.hint) ?? error.hint}</div>
      )}
    </div>
  );
}

/** On the command line, messages follow `error:`. A first word that is code stays as it is. */
function startSentence(message: string): string {
  return /^[a-z]+(?=[ ,])/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
}
