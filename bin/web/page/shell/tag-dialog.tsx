/** The tags of sessions: those that exist are offered, and a new one is typed. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { unquoteValue } from "../../../format/query-words.ts";
import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { apiGet } from "./api.ts";
import { foldTag, type TagChange } from "./change-tags.ts";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { ErrorMessage } from "./error-message.tsx";
import "./tag-dialog.css";

interface Props {
  /** The tags of each session. */
  tags: readonly (readonly string[])[];
  /** @returns the error, if saving failed: then the dialog stays open */
  onSave: (change: TagChange) => Promise<unknown>;
  onClose: () => void;
}

type Checked = "true" | "false" | "mixed";

export function TagDialog({ tags: before, onSave, onClose }: Props) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(-1);
  /** What was chosen here, by folded tag. */
  const [chosen, setChosen] = useState<ReadonlyMap<string, { tag: string; isOn: boolean }>>(new Map());
  const [error, setError] = useState<unknown>();
  const known = useKnownTags(text);
  const list = useId();
  const rows = useRef<HTMLDivElement>(null);

  const stateOf = (tag: string): Checked => {
    const choice = chosen.get(foldTag(tag));
    if (choice) return choice.isOn ? "true" : "false";
    const count = before.filter((all) => all.some((each) => foldTag(each) === foldTag(tag))).length;
    return count === 0 ? "false" : count === before.length ? "true" : "mixed";
  };
  const typed = text.trim();
  const all = new Map<string, string>();
  for (const tag of [...before.flat(), ...[...chosen.values()].map(({ tag }) => tag), ...known.keys()])
    if (!all.has(foldTag(tag))) all.set(foldTag(tag), tag);
  const shown = [...all.values()].filter((tag) => foldTag(tag).includes(foldTag(typed)));
  const isNew = typed !== "" && !all.has(foldTag(typed));
  const options = isNew ? [...shown, typed] : shown;
  // What Enter takes: while a tag is typed, the first that it may become.
  const at = typed === "" ? active : Math.max(0, active);
  const current = options[at];
  useLayoutEffect(() => {
    rows.current?.querySelector(".tag-option-active")?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const put = (tags: readonly string[], isOn: (tag: string) => boolean) => {
    setChosen((earlier) => {
      const later = new Map(earlier);
      for (const tag of tags) later.set(foldTag(tag), { tag: all.get(foldTag(tag)) ?? tag, isOn: isOn(tag) });
      return later;
    });
  };
  const toggle = (tag: string) => {
    put([tag], () => stateOf(tag) !== "true");
    setText("");
    setActive(-1);
  };
  const save = async () => {
    const choices = new Map(chosen);
    for (const tag of splitTags(text))
      choices.set(foldTag(tag), { tag: all.get(foldTag(tag)) ?? tag, isOn: true });
    const add = [...choices.values()].filter(({ isOn }) => isOn).map(({ tag }) => tag);
    const remove = [...choices.values()].filter(({ isOn }) => !isOn).map(({ tag }) => tag);
    const failed = add.length + remove.length === 0 ? undefined : await onSave({ add, remove });
    if (failed === undefined) onClose();
    else setError(failed);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "ArrowDown") setActive((at + 1) % Math.max(1, options.length));
    else if (key === "ArrowUp") setActive(at <= 0 ? options.length - 1 : at - 1);
    else if (
      key === "Enter" &&
      !event.isComposing &&
      !(event.ctrlKey || event.metaKey) &&
      current !== undefined
    )
      toggle(current);
    else return; // Enter without an option saves
    event.preventDefault();
  };
  const sessions = before.length === 1 ? "this session" : formatCount(before.length, "session");
  return (
    <Dialog title={`Tags of ${sessions}`} class="tag-dialog" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <input
          class="field tag-input"
          role="combobox"
          aria-label="Find or create a tag"
          aria-expanded={options.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${list}-${at}`}
          placeholder="Find or create a tag"
          autocomplete="off"
          maxLength={500}
          dir="auto"
          value={text}
          onInput={({ currentTarget: { value } }) => {
            // A comma ends a tag.
            const end = value.lastIndexOf(",");
            if (end >= 0) put(splitTags(value.slice(0, end)), () => true);
            setText(value.slice(end + 1).trimStart());
            setActive(-1);
          }}
          onKeyDown={onKeyDown}
        />
        <div
          ref={rows}
          id={list}
          class="tag-options"
          role="listbox"
          aria-label="Tags"
          aria-multiselectable="true"
          hidden={options.length === 0}
        >
          {options.map((tag, n) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={foldTag(tag)}
              id={`${list}-${n}`}
              role="option"
              class={n === at ? "tag-option tag-option-active" : "tag-option"}
              aria-selected={stateOf(tag) === "true"}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => toggle(tag)}
            >
              <span class={`tag-box tag-box-${stateOf(tag)}`} aria-hidden="true" />
              <bdi class="tag-name">
                {isNew && n === options.length - 1 ? `Create “${toOneLine(tag)}”` : toOneLine(tag)}
              </bdi>
              {stateOf(tag) === "mixed" && <span class="quiet">on some</span>}
              {known.has(tag) && (
                <span class="tag-count" title={formatCount(known.get(tag) ?? 0, "session")}>
                  {formatInteger(known.get(tag) ?? 0)}
                </span>
              )}
            </div>
          ))}
        </div>
        <p class="quiet dialog-hint">
          <kbd>Enter</kbd> takes a tag, and saves when nothing is typed.
        </p>
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

function splitTags(text: string): string[] {
  return text.split(",").flatMap((tag) => tag.trim() || []);
}

/** Tags of the index with their numbers of sessions, most frequent first: those found for what was typed so far. */
function useKnownTags(text: string): ReadonlyMap<string, number> {
  const [known, setKnown] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    const stop = new AbortController();
    const value = text.trim() === "" ? "" : `"${text.trim().replaceAll('"', '""')}`;
    apiGet("complete", { query: `tag:${value}` }, stop.signal).then(
      ({ options }) =>
        setKnown((before) => {
          const counts = new Map(before);
          for (const option of options) counts.set(unquoteValue(option.text), option.sessions ?? 0);
          return counts;
        }),
      () => {}, // tags can be typed all the same
    );
    return () => stop.abort();
  }, [text]);
  return known;
}
