import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  title: string;
  name: string;
  /** @returns what kept it from being saved */
  onRename: (name: string) => Promise<unknown>;
}

/** What the session is called; changed where it stands. Going elsewhere saves it, Escape does not. */
export function Title({ title, name, onRename }: Props) {
  const [isEdited, setEdited] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** Whether it was a key that ended it: who clicked elsewhere is there. */
  const byKey = useRef(false);
  /** What is typed and not saved yet. */
  const draft = useRef<string>(undefined);
  const isSaving = useRef(false);
  /** Whether it is over: the field that is taken away then is left, which is no going elsewhere. */
  const isOver = useRef(false);
  const rename = useRef(onRename);
  rename.current = onRename;
  useLayoutEffect(() => {
    input.current?.select();
    if (byKey.current) button.current?.focus();
    byKey.current = false;
  }, [isEdited]);
  // Going back, a reload, or closing the tab leaves the field without a blur.
  useEffect(() => {
    const saveDraft = () => {
      if (draft.current !== undefined) void rename.current(draft.current);
      draft.current = undefined;
    };
    addEventListener("pagehide", saveDraft);
    return () => {
      removeEventListener("pagehide", saveDraft);
      saveDraft();
    };
  }, []);
  const begin = () => {
    isOver.current = false;
    setEdited(true);
  };
  if (!isEdited) {
    return (
      <h1 class="session-title" dir="auto">
        <button type="button" ref={button} title="Rename" onClick={begin}>
          {title}
        </button>
      </h1>
    );
  }
  const end = (endedByKey: boolean) => {
    draft.current = undefined;
    isOver.current = true;
    byKey.current = endedByKey;
    setEdited(false);
  };
  const save = async (savedByKey: boolean) => {
    if (isSaving.current) return;
    const text = draft.current;
    if (text === undefined || text.trim() === name) return end(savedByKey);
    draft.current = undefined; // is on its way: not to be saved twice
    isSaving.current = true;
    const error = await onRename(text);
    isSaving.current = false;
    if (error === undefined) end(savedByKey);
    else draft.current ??= text; // it stays where it was typed
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
        onBlur={() => isOver.current || void save(false)}
      />
    </form>
  );
}
