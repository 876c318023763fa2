import { useContext, useEffect, useState } from "preact/hooks";
import { DisplayContext } from "./display-options.ts";

/** How long the result is shown, in milliseconds. */
const SHOWN_MS = 2000;

/** Copies a text as it is in the session. Exported pages, which have no scripts, have none. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { folding } = useContext(DisplayContext);
  const [result, setResult] = useState<"Copied" | "Not copied">();
  useEffect(() => {
    if (result === undefined) return undefined;
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  if (!folding) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult("Copied"),
      () => setResult("Not copied"), // the browser refused it
    );
  return (
    <button type="button" class="copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <span aria-live="polite">{result ?? "Copy"}</span>
    </button>
  );
}
