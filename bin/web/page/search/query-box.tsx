import { useId, useRef, useState } from "preact/hooks";
import { filePattern, isCompletable } from "../../../format/query-words.ts";
import { typedQuery } from "../../../format/typed-query.ts";
import type { CompleteAnswer } from "../../api/answers.ts";
import { ask, rest } from "../shell/ask.ts";
import { useKeys } from "../shell/use-keys.ts";

/** Completions that are shown at once. */
const MOST_SHOWN = 8;
/** Completions are asked for when nothing else was typed for so many milliseconds: what is found comes first. */
const REST_MS = 80;

interface Offered {
  /** They stand for the text from here to the cursor. */
  from: number;
  texts: string[];
}

const NONE: Offered = { from: 0, texts: [] };

/** Where a search is typed, with fields and values completed. */
export function QueryBox({
  text,
  onText,
  onLeave,
}: {
  text: string;
  onText: (text: string) => void;
  /** Somebody goes elsewhere: what is typed is done. */
  onLeave: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const [offered, setOffered] = useState(NONE);
  const [chosen, setChosen] = useState(-1);
  const stop = useRef<AbortController>(undefined);
  useKeys({
    "/": () => {
      input.current?.focus();
      input.current?.select();
    },
  });

  const offer = (shown: Offered) => {
    setOffered(shown);
    setChosen(-1);
  };
  const complete = (query: string, at: number) => {
    stop.current?.abort();
    if (!isCompletable(query, at)) return offer(NONE);
    const now = new AbortController();
    stop.current = now;
    rest(REST_MS, now.signal)
      .then(() => ask<CompleteAnswer>("complete", { query, at }, now.signal))
      .then(
        ({ from, options }) =>
          offer({ from, texts: options.slice(0, MOST_SHOWN).map((option) => option.text) }),
        () => !now.signal.aborted && offer(NONE), // the search itself says what is wrong
      );
  };
  const take = (option: string) => {
    const at = input.current?.selectionStart ?? text.length;
    const isValue = !option.endsWith(":");
    const taken = `${text.slice(0, offered.from)}${option}${isValue ? " " : ""}`;
    onText(taken + text.slice(at));
    offer(NONE);
    if (!isValue) complete(taken, taken.length);
    queueMicrotask(() => input.current?.setSelectionRange(taken.length, taken.length));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isOpen = offered.texts.length > 0;
    const option = offered.texts[chosen];
    if (event.key === "ArrowDown" && isOpen) setChosen((chosen + 1) % offered.texts.length);
    else if (event.key === "ArrowUp" && isOpen)
      setChosen(chosen <= 0 ? offered.texts.length - 1 : chosen - 1);
    else if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".result-title")?.focus();
    else if (event.key === "Escape" && isOpen) offer(NONE);
    else if (event.key === "Escape" && text !== "") onText("");
    else if (event.key === "Tab" && isOpen && !event.shiftKey) take(option ?? (offered.texts[0] as string));
    else if (event.key === "Enter" && option !== undefined) take(option);
    else if (event.key === "Enter" && event.shiftKey && typedQuery(text).by === "words")
      onText(filePattern(text));
    else return;
    event.preventDefault();
  };
  const isOpen = offered.texts.length > 0;
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
        // biome-ignore lint/a11y/noRedundantRoles: only with a datalist, which it has not, is it one by itself
        role="combobox"
        list={undefined}
        aria-label="Search sessions"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${list}-${chosen}` : undefined}
        placeholder="Search all sessions: words, “a phrase”, file:tax.ts, is:error, re:pattern"
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
          offer(NONE);
          onLeave();
        }}
      />
      <kbd class="query-key">/</kbd>
      <div id={list} class="completions" role="listbox" aria-label="Completions" hidden={!isOpen}>
        {offered.texts.map((option, n) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays where it is typed
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={option}
            id={`${list}-${n}`}
            role="option"
            class="completion"
            aria-selected={n === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(option)}
          >
            {option}
          </div>
        ))}
      </div>
    </div>
  );
}
