import { useId, useRef, useState } from "preact/hooks";
import { getFieldMeaning } from "../../../format/field-meanings.ts";
import { canSearchFiles, filePattern, isCompletable } from "../../../format/query-words.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";
import { delay } from "../shell/api.ts";
import { formatKey } from "../shell/commands.ts";
import { completeQuery } from "./complete-query.ts";
import type { SearchState } from "./search-state.ts";

/** Maximum number of completions shown. */
const MAX_COMPLETIONS = 8;
/** Delay after the last key before completions are requested, so that results come first. */
const COMPLETION_DELAY_MS = 80;

interface Completions {
  /** The start of the text that a completion replaces, up to the cursor. */
  from: number;
  options: Answers["complete"]["options"];
}

const NONE: Completions = { from: 0, options: [] };

interface Props {
  text: string;
  /** The filters beside the text. */
  state: SearchState;
  onText: (text: string) => void;
  /** The field lost focus. */
  onLeave: () => void;
}

/** The search field, with completion of fields and values. */
export function QueryBox({ text, state, onText, onLeave }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const [completions, setCompletions] = useState(NONE);
  const [selected, setSelected] = useState(-1);
  const stop = useRef<AbortController>(undefined);
  /** The text that Escape or the ✕ cleared, until something else is typed. */
  const [cleared, setCleared] = useState("");
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
      .then(() => completeQuery(query.slice(0, at), state))
      .then(
        ({ from, options }) =>
          !request.signal.aborted && show({ from, options: options.slice(0, MAX_COMPLETIONS) }),
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
  const clear = () => {
    stop.current?.abort();
    show(NONE);
    setCleared(text);
    onText("");
  };
  const restore = () => {
    onText(cleared);
    setCleared("");
    queueMicrotask(() => input.current?.setSelectionRange(cleared.length, cleared.length));
  };
  const isOpen = completions.options.length > 0;
  const canRestore = cleared !== "" && text === "";
  const onKeyDown = (event: KeyboardEvent) => {
    const option = completions.options[selected]?.text;
    const hasControl = (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (event.key === "ArrowDown" && isOpen) setSelected((selected + 1) % completions.options.length);
    else if (event.key === "ArrowUp" && isOpen)
      setSelected(selected <= 0 ? completions.options.length - 1 : selected - 1);
    else if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".result-title")?.focus();
    else if (event.key === "Escape" && isOpen) show(NONE);
    else if (event.key === "Escape" && text !== "") clear();
    else if (event.key === "Escape")
      (event.currentTarget as HTMLElement).blur(); // keys are commands again
    else if (hasControl && event.key.toLowerCase() === "z" && canRestore) restore();
    else if (event.key === "Tab" && isOpen && !event.shiftKey)
      accept(option ?? (completions.options[0]?.text as string));
    else if (event.key === "Enter" && option !== undefined) accept(option);
    else if (event.key === "Enter" && event.shiftKey && canSearchFiles(text)) onText(filePattern(text));
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
          setCleared("");
          onText(currentTarget.value);
          complete(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          show(NONE);
          onLeave();
        }}
      />
      {text === "" ? <kbd class="query-key">/</kbd> : null}
      {(text !== "" || canRestore) && (
        <button
          type="button"
          class="button button-plain query-clear"
          aria-label={canRestore ? `Bring back ${cleared}` : "Clear the search"}
          title={canRestore ? `${cleared} (${formatKey("Ctrl+Z")})` : "Clear (Esc)"}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => {
            if (canRestore) restore();
            else clear();
            input.current?.focus();
          }}
        >
          {canRestore ? "Undo" : "✕"}
        </button>
      )}
      <div id={list} class="completions" role="listbox" aria-label="Completions" hidden={!isOpen}>
        {completions.options.map(({ text: option, sessions }, n) => (
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
            <bdi class="completion-text">{option}</bdi>
            {sessions === undefined ? (
              <span class="completion-note">{getFieldMeaning(option)}</span>
            ) : (
              <span class="completion-count" title={formatCount(sessions, "session")}>
                {formatInteger(sessions)}
              </span>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
