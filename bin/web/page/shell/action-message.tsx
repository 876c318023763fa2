import type { ComponentChildren } from "preact";
import { getKey } from "./commands.ts";
import { ErrorMessage } from "./error-message.tsx";

interface Props {
  /** What the last action did; "" shows nothing but an error. */
  done: string;
  error?: unknown;
  /** Undoes it. */
  undo?: (() => unknown) | undefined;
  isRunning?: boolean | undefined;
  onClose: () => void;
  /** Links that follow from it. */
  children?: ComponentChildren;
}

/** What the last action did, with its undo. */
export function ActionMessage({ done, error, undo, isRunning, onClose, children }: Props) {
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} />}
      <span role="status">{done}</span>
      {undo && (
        <button
          type="button"
          class="button"
          disabled={isRunning}
          title={`Undo (${getKey("sessions", "undo")})`}
          onClick={() => void undo()}
        >
          Undo
        </button>
      )}
      {children}
      <button type="button" class="button button-plain" onClick={onClose}>
        Close
      </button>
    </>
  );
}
