import { useId, useState } from "preact/hooks";
import type { ApiParams } from "./api.ts";
import { Dialog, DialogButtons } from "./dialog.tsx";
import "./export.css";
import { startExport } from "./exports.ts";

/** What can be exported. */
export interface ExportSource {
  id: string;
  label: string;
  hint?: string;
  /** What the progress names: "3 sessions". */
  subject: string;
  /** The parameters of `/api/export` that select it. */
  params: ApiParams;
  /** Whether it is the current branch of each session unless all branches are included. */
  hasBranches?: boolean;
}

const FORMATS = {
  html: { name: "HTML", hint: "One page for any browser, with images and highlighted code." },
  md: { name: "Markdown", hint: "Text for notes and issues." },
  jsonl: { name: "JSONL", hint: "One entry per line, as in session files, for programs." },
};
type Format = keyof typeof FORMATS;

interface Props {
  sources: readonly [ExportSource, ...ExportSource[]];
  /** A limit of what is exported. */
  note?: string | undefined;
  onClose: () => void;
}

/** Asks what to export and how, and starts the export, which runs while the page stays usable. */
export function ExportDialog({ sources, note, onClose }: Props) {
  const [sourceId, setSourceId] = useState(sources[0].id);
  const [format, setFormat] = useState<Format>("html");
  // Undefined until chosen: Markdown has no images by default, because they are long lines of base64.
  const [images, setImages] = useState<boolean>();
  const [isMasked, setMasked] = useState(true);
  const [all, setAll] = useState(false);
  const source = sources.find(({ id }) => id === sourceId) ?? sources[0];
  const includesImages = images ?? format !== "md";
  const submit = (event: Event) => {
    event.preventDefault();
    onClose();
    startExport(source.subject, {
      ...source.params,
      ...(source.hasBranches && { all }),
      format,
      images: String(includesImages),
      redact: String(isMasked),
    });
  };
  return (
    <Dialog title="Export" class="export-dialog" onClose={onClose}>
      <form onSubmit={submit}>
        <fieldset class="export-group">
          <legend>What</legend>
          {sources.length === 1 ? (
            <p class="export-only" dir="auto">
              {source.label}
              {source.hint !== undefined && <span class="quiet"> {source.hint}</span>}
            </p>
          ) : (
            sources.map(({ id, label, hint }) => (
              <Option
                key={id}
                {...{ label, hint }}
                type="radio"
                name="what"
                isChecked={source.id === id}
                onChange={() => setSourceId(id)}
              />
            ))
          )}
          {source.hasBranches && (
            <Option
              type="checkbox"
              label="All branches"
              hint="Otherwise the current branch of each session."
              isChecked={all}
              onChange={setAll}
            />
          )}
        </fieldset>
        <fieldset class="export-group">
          <legend>Format</legend>
          {Object.entries(FORMATS).map(([each, { name, hint }]) => (
            <Option
              key={each}
              {...{ label: name, hint }}
              type="radio"
              name="format"
              isChecked={format === each}
              onChange={() => setFormat(each as Format)}
            />
          ))}
        </fieldset>
        <fieldset class="export-group">
          <legend>Content</legend>
          <Option type="checkbox" label="Images" isChecked={includesImages} onChange={setImages} />
          <Option
            type="checkbox"
            label="Mask likely secrets"
            hint={isMasked ? "Keys, tokens and passwords become [redacted]." : undefined}
            warning={isMasked ? undefined : "Keys, tokens and passwords in it will be readable."}
            isChecked={isMasked}
            onChange={setMasked}
          />
        </fieldset>
        {note && <p class="quiet dialog-hint">{note}</p>}
        <DialogButtons cancel="Cancel" onCancel={onClose}>
          <button type="submit" class="button button-main">
            Export
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

interface OptionProps {
  type: "radio" | "checkbox";
  name?: string;
  label: string;
  hint?: string | undefined;
  warning?: string | undefined;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}

function Option({ type, name, label, hint, warning, isChecked, onChange }: OptionProps) {
  const id = useId();
  return (
    <div class="export-option">
      <input
        id={id}
        {...{ type, name }}
        checked={isChecked}
        aria-describedby={hint || warning ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {(hint || warning) && (
        <p id={`${id}-hint`} class={warning ? "export-warning" : "quiet"}>
          {warning ?? hint}
        </p>
      )}
    </div>
  );
}
