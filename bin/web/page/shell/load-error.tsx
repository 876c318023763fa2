import type { ComponentChildren } from "preact";
import { ApiError } from "./api.ts";
import { reloadViews } from "./changes.ts";
import { ErrorMessage } from "./error-message.tsx";

/** Codes of errors that the same request would get again. */
const PERMANENT = /^(?:BAD_|NOT_|AMBIGUOUS)/;

interface Props {
  error: unknown;
  /** What else may help. */
  children?: ComponentChildren;
}

/** Why data could not be loaded, and a button to try again if that may help. */
export function LoadError({ error, children }: Props) {
  const isPermanent = error instanceof ApiError && PERMANENT.test(error.code);
  return (
    <div class="load-error">
      <ErrorMessage error={error} />
      {children}
      {!isPermanent && (
        <button type="button" class="button" onClick={reloadViews}>
          Try again
        </button>
      )}
    </div>
  );
}
