import { useId, useRef, useState } from "preact/hooks";
import { filePattern, isCompletable } from "../../../format/query-words.ts";
import { parseTypedQuery } from "../../../format/typed-query.ts";
import { apiGet, delay } from "../shell/api.ts";
import { useKeys } from "../shell/use-keys.ts";

/** Maximum number of completions shown. */
const MAX_COMPLETIONS = 8;
/** Delay after the last key before completions are requested, so that results come first. */
const COMPLETION_DELAY_MS = 80;

interface Completions {
  /** The start of the text that a completion replaces, up to the cursor. */
  from: number;
  texts: string[];
}

const NONE: Completions = { from: 0, texts: [] };

interface Props {
  text: string;
  onText: (text: string) => void;
  /** The field lost focus. */
  onLeave: () => void;
}

/** The search field, with completion of fields and values. */
export function QueryBox({ text, onText, onLeave }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const [completions, setCompletions] = useState(NONE);
  const [selected, setSelected] = useState(-1);
  const stop = useRef<AbortController>(undefined);
  useKeys({
    "/": () => {
      input.current?.focus();
      input.current?.select();
    },
  });

  const show = (completions: Completions) => {
    setCompletions(completions);
    setSelected(-1);
  };
  const complete = (query: string, at: number) => {
    stop.current?.abort();
    if (!isCompletable(query, at)) return show(NONE);
    const request = new AbortController();
    stop.current = request;
    delay(COMPLETION_DELAY_MS, request.signal)
      .then(() => apiGet("complete", { query, at }, request.signal))
      .then(
        ({ from, options }) =>
          show({ from, texts: options.slice(0, MAX_COMPLETIONS).map((option) => option.text) }),
        () => !request.signal.aborted && show(NONE), // the search reports the error
      );
  };
  const accept = (option: string) => {
    const at = input.current?.selectionStart ?? text.length;
    const isValue = !option.endsWith(":");
    const accepted = `${text.slice(0, completions.from)}${option}${isValue ? " " : ""}`;
    onText(accepted + text.slice(at));
    show(NONE);
    if (!isValue) complete(accepted, accepted.length);
    queueMicrotask(() => input.current?.setSelectionRange(accepted.length, accepted.length));
  };
  const isOpen = completions.texts.length > 0;
  const onKeyDown = (event: KeyboardEvent) => {
    const option = completions.texts[selected];
    if (event.key === "ArrowDown" && isOpen) setSelected((selected + 1) % completions.texts.length);
    else if (event.key === "ArrowUp" && isOpen)
      setSelected(selected <= 0 ? completions.texts.length - 1 : selected - 1);
    else if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".result-title")?.focus();
    else if (event.key === "Escape" && isOpen) show(NONE);
    else if (event.key === "Escape" && text !== "") onText("");
    else if (event.key === "Tab" && isOpen && !event.shiftKey)
      accept(option ?? (completions.texts[0] as string));
    else if (event.key === "Enter" && option !== undefined) accept(option);
    else if (event.key === "Enter" && event.shiftKey && parseTypedQuery(text).by === "words")
      onText(filePattern(text));
    else return;
    event.preventDefault();
  };
  return (
    <div class="query">
      <svg class="query-sign" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="7" cy="7" r="4.5" />
        <path d="m10.5 10.5 3.5 3.5" />
      </svg>
      <input
        ref={input}
        class="query-input"
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: only implied with a datalist, which it lacks
        role="combobox"
        list={undefined}
        aria-label="Search sessions"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={selected >= 0 ? `${list}-${selected}` : undefined}
        placeholder={
          innerWidth < 640
            ? "Search sessions"
            : "Search all sessions: words, “a phrase”, file:tax.ts, is:error, re:pattern"
        }
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          onText(currentTarget.value);
          complete(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          show(NONE);
          onLeave();
        }}
      />
      <kbd class="query-key">/</kbd>
      <div id={list} class="completions" role="listbox" aria-label="Completions" hidden={!isOpen}>
        {completions.texts.map((option, n) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={option}
            id={`${list}-${n}`}
            role="option"
            class="completion"
            aria-selected={n === selected}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => accept(option)}
          >
            {option}
          </div>
        ))}
      </div>
    </div>
  );
}
