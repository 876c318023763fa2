import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  title: string;
  name: string;
  onRename: (name: string) => Promise<void>;
}

/** What the session is called; changed where it stands. */
export function Title({ title, name, onRename }: Props) {
  const [isEdited, setEdited] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** Whether it was a key that ended it: who clicked elsewhere is there. */
  const byKey = useRef(false);
  useLayoutEffect(() => {
    input.current?.select();
    if (byKey.current) button.current?.focus();
    byKey.current = false;
  }, [isEdited]);
  if (!isEdited) {
    return (
      <h1 class="session-title" dir="auto">
        <button type="button" ref={button} title="Rename" onClick={() => setEdited(true)}>
          {title}
        </button>
      </h1>
    );
  }
  const end = () => {
    byKey.current = true;
    setEdited(false);
  };
  const done = async () => {
    const text = input.current?.value ?? name;
    end();
    if (text.trim() !== name) await onRename(text);
  };
  return (
    <form
      class="session-title"
      onSubmit={(event) => {
        event.preventDefault();
        void done();
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
        onKeyDown={({ key }) => key === "Escape" && end()}
        onBlur={() => setEdited(false)}
      />
    </form>
  );
}
