import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./dialog.css";
import { ErrorMessage } from "./error-message.tsx";

interface Props {
  title: string;
  class?: string;
  /** Whether the title is only read out. */
  hidesTitle?: boolean;
  onClose: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ComponentChildren;
}

/** A modal dialog. Escape closes it. Closing it restores the focus. */
export function Dialog({ title, onClose, children, ...props }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isUnmounted = useRef(false);
  // In a layout effect, so that the next key press already goes to the dialog, or to the previous focus.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    opened?.scrollTo(0, 0); // its first button, which has the focus now, may be below its text
    return () => {
      isUnmounted.current = true;
      opened?.close(); // also restores the focus, which a removed dialog would not
    };
  }, []);
  return (
    // The close event arrives late: by then another dialog may be open, which must stay open.
    <dialog
      ref={dialog}
      class={`dialog card ${props.class ?? ""}`}
      aria-label={title}
      onKeyDown={props.onKeyDown}
      onCancel={onClose}
      onClose={() => isUnmounted.current || onClose()}
    >
      <h2 class={props.hidesTitle ? "unseen" : undefined}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ButtonsProps {
  cancel: string;
  onCancel: () => void;
  /** The other buttons. */
  children?: ComponentChildren;
}

export function DialogButtons({ cancel, onCancel, children }: ButtonsProps) {
  return (
    <div class="dialog-buttons">
      <button type="button" class="button" onClick={onCancel}>
        {cancel}
      </button>
      {children}
    </div>
  );
}

interface AskTextProps {
  title: string;
  label: string;
  value: string;
  hint?: string;
  /** @returns the error, if saving failed: then the dialog stays open */
  onDone: (text: string) => Promise<unknown>;
  onClose: () => void;
}

/** A dialog with one text field. */
export function TextDialog({ title, label, value, hint, onDone, onClose }: AskTextProps) {
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  useLayoutEffect(() => input.current?.select(), []);
  return (
    <Dialog {...{ title, onClose }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void onDone(input.current?.value ?? "").then((failed) =>
            failed === undefined ? onClose() : setError(failed),
          );
        }}
      >
        <label class="dialog-field">
          <span>{label}</span>
          <input
            ref={input}
            class="field"
            defaultValue={value}
            maxLength={500}
            dir="auto"
            autocomplete="off"
          />
        </label>
        {hint && <p class="quiet dialog-hint">{hint}</p>}
        {error !== undefined && <ErrorMessage error={error} />}
        <DialogButtons cancel="Cancel" onCancel={onClose}>
          <button type="submit" class="button button-main">
            Save
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
