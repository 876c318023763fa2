import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./dialog.css";
import { Trouble } from "./trouble.tsx";

interface Props {
  title: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** Something that is asked before anything else goes on. Escape closes it, and one is where one was before. */
export function Dialog({ title, onClose, children, ...props }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  // Before it is seen, and not after: a key that is pressed next is meant for it, or for what was there before.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const opened = dialog.current;
    opened?.showModal();
    return () => {
      isOver.current = true;
      opened?.close(); // as long as it is open, nothing else can be where one is
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // The browser tells a moment later that it is closed: by then another may be open, which is not to be closed for that.
    <dialog
      ref={dialog}
      class={`dialog card ${props.class ?? ""}`}
      aria-label={title}
      onCancel={onClose}
      onClose={() => isOver.current || onClose()}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

interface ButtonsProps {
  cancel: string;
  onCancel: () => void;
  /** What else there is to choose. */
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

interface AskedTextProps {
  title: string;
  label: string;
  value: string;
  hint?: string;
  /** @returns what kept it from being saved: then what was typed stays */
  onDone: (text: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a line of text. */
export function AskText({ title, label, value, hint, onDone, onClose }: AskedTextProps) {
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
        {error !== undefined && <Trouble error={error} />}
        <DialogButtons cancel="Cancel" onCancel={onClose}>
          <button type="submit" class="button button-main">
            Save
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
