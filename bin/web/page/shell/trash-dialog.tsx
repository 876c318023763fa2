import type { ComponentChildren } from "preact";
import { Dialog, DialogButtons } from "./dialog.tsx";

interface Props {
  /** What is moved: "this session". */
  what: string;
  onMove: () => unknown;
  onClose: () => void;
  /** What else the user should know. */
  children: ComponentChildren;
}

/** Asks before sessions are moved to trash. */
export function TrashDialog({ what, onMove, onClose, children }: Props) {
  return (
    <Dialog title={`Move ${what} to trash?`} onClose={onClose}>
      {children}
      <p class="quiet dialog-hint">Usage does not count what is in the trash.</p>
      <DialogButtons cancel="Cancel" onCancel={onClose}>
        <button
          type="button"
          class="button button-bad"
          // The trash can be undone, so that Enter may confirm the key that opened this dialog.
          autofocus
          onClick={() => {
            onClose();
            void onMove();
          }}
        >
          Move to trash
        </button>
      </DialogButtons>
    </Dialog>
  );
}
