/** The models of a session: one by name, and the number of the others. */
import { toOneLine } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { NarrowButton } from "./narrow-button.tsx";

interface Props {
  session: Pick<SessionJson, "provider" | "model" | "models">;
  /** What the results are filtered by: parts of names. */
  filters: readonly string[];
  onNarrow: (by: { model: string }) => void;
}

/** "qwen3-coder +2": the model that the results are filtered by, else the last one. The tooltip names all. */
export function ResultModels({ session, filters, onNarrow }: Props) {
  const [first, ...others] = listModels(session, filters);
  if (first === undefined) return null;
  const all = others.length === 0 ? "" : `. Its models: ${[first, ...others].map(toName).join(", ")}`;
  return (
    <NarrowButton
      class="result-model"
      title={`Only sessions with ${toName(first)}${all}`}
      onClick={() => onNarrow({ model: first })}
      note={others.length === 0 ? undefined : `+${others.length}`}
    >
      {toName(first)}
    </NarrowButton>
  );
}

/** The models of a session as provider/model: those that match a filter first, and the last one before others. */
export function listModels(
  { provider, model, models = [] }: Props["session"],
  filters: readonly string[],
): string[] {
  const last = model ? [[provider, model].filter(Boolean).join("/")] : [];
  const all = [...new Set([...last, ...models])];
  const isMatch = (name: string) => filters.some((text) => name.toLowerCase().includes(text.toLowerCase()));
  return [...all.filter(isMatch), ...all.filter((name) => !isMatch(name))];
}

const toName = (model: string) => toOneLine(model.slice(model.indexOf("/") + 1));
