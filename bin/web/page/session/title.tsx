import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./title.css";

interface Props {
  title: string;
  name: string;
  /** Undefined if it cannot be renamed. @returns the error, if saving failed */
  onRename: ((name: string) => Promise<unknown>) | undefined;
}

/** The title, editable in place. Leaving the field saves it, Escape cancels. */
export function Title({ title, name, onRename }: Props) {
  const [isEdited, setEdited] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** Whether a key ended editing: then the button gets the focus back. */
  const byKey = useRef(false);
  /** The unsaved text. */
  const draft = useRef<string>(undefined);
  const isSaving = useRef(false);
  const rename = useRef(onRename);
  rename.current = onRename;
  useLayoutEffect(() => {
    input.current?.select();
    if (byKey.current) button.current?.focus();
    byKey.current = false;
  }, [isEdited]);
  // Going back, reloading or closing the tab causes no blur event.
  useEffect(() => {
    const saveDraft = () => {
      if (draft.current !== undefined) void rename.current?.(draft.current);
      draft.current = undefined;
    };
    addEventListener("pagehide", saveDraft);
    return () => {
      removeEventListener("pagehide", saveDraft);
      saveDraft();
    };
  }, []);
  if (!onRename) {
    return (
      <h1 class="session-title session-title-fixed" dir="auto">
        <span class="session-title-text">{title}</span>
      </h1>
    );
  }
  if (!isEdited) {
    return (
      <h1 class="session-title" dir="auto">
        <button type="button" ref={button} title="Rename" onClick={() => setEdited(true)}>
          <span class="session-title-text">{title}</span>
        </button>
      </h1>
    );
  }
  const end = (endedByKey: boolean) => {
    draft.current = undefined;
    byKey.current ||= endedByKey; // the removed field loses the focus, which ends editing a second time
    setEdited(false);
  };
  const save = async (savedByKey: boolean) => {
    if (isSaving.current) return;
    const text = draft.current;
    if (text === undefined || text.trim() === name) return end(savedByKey);
    draft.current = undefined; // being saved; must not be saved twice
    isSaving.current = true;
    const error = await onRename?.(text);
    isSaving.current = false;
    if (error === undefined) end(savedByKey);
    else draft.current ??= text; // the field keeps the text
  };
  return (
    <form
      class="session-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save(true);
      }}
    >
      <h1 class="unseen">{title}</h1>
      <input
        ref={input}
        class="field"
        aria-label="Name of this session"
        placeholder={title}
        defaultValue={name}
        maxLength={500}
        dir="auto"
        onInput={({ currentTarget }) => {
          draft.current = currentTarget.value;
        }}
        onKeyDown={({ key }) => key === "Escape" && end(true)}
        onBlur={() => void save(false)}
      />
    </form>
  );
}
