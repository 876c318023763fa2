import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly [string, string][] = [
  ["/", "search"],
  ["↓ ↑ or j k", "from one session to the next"],
  ["Enter", "open it"],
  ["Esc", "close completions, or clear the search"],
  ["Tab", "take a completion"],
  ["Shift+Enter", "search the files themselves for what is typed"],
];

const QUERIES: readonly [string, string][] = [
  ["tax rounding", "entries that hold both, or sessions whose entries do"],
  ['"exact words"', "these, in this order"],
  ["-blog", "without that word"],
  ["file:tax.ts", "that touched a file"],
  ["is:error role:user since:7d", "by what it is, by whom, and when"],
  ["re:cannot .* null", "a regular expression, in the files themselves"],
];

/** What can be typed, by the question mark. */
export function HowTo() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFree =
        document.activeElement === document.body || document.activeElement instanceof HTMLAnchorElement;
      if (event.key === "?" && isFree) dialog.current?.showModal();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <dialog ref={dialog} class="how-to card" aria-labelledby="how-to-title">
      <h2 id="how-to-title">How to search</h2>
      <Explained rows={QUERIES} />
      <h3>Keys</h3>
      <Explained rows={KEYS} />
      <form method="dialog">
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}

function Explained({ rows }: { rows: readonly [string, string][] }) {
  return (
    <dl>
      {rows.map(([what, meaning]) => (
        <div key={what}>
          <dt>
            <code>{what}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
