import { useEffect } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import { ErrorMessage } from "./error-message.tsx";
import "./export.css";
import { type Export, exportList, forgetEndedExports } from "./exports.ts";

/** The progress of exports, in every view. Those that ended go when the view at `path` is left. */
export function ExportList({ path }: { path: string }) {
  useEffect(forgetEndedExports, [path]);
  if (exportList.value.length === 0) return null;
  return (
    <section class="exports" aria-label="Exports">
      {exportList.value.map((each) => (
        <ExportProgress key={each.id} {...each} />
      ))}
    </section>
  );
}

function ExportProgress({ subject, state, byteCount, file, error, close, retry }: Export) {
  const size = formatBytes(byteCount);
  return (
    <div class="export-progress card">
      <p role="status" class="export-status">
        {state === "running" && `Exporting ${subject}`}
        {state === "done" && `Saved ${file}`}
        {state === "failed" && `Could not export ${subject}`}
      </p>
      {state !== "failed" && <span class="quiet export-size">{byteCount > 0 ? size : "Preparing …"}</span>}
      {state === "running" && <progress class="export-bar" aria-label={`Exporting ${subject}`} />}
      {error !== undefined && <ErrorMessage error={error} />}
      <div class="export-buttons">
        {state === "failed" && (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        )}
        <button type="button" class="button" onClick={close}>
          {state === "running" ? "Cancel" : "Close"}
        </button>
      </div>
    </div>
  );
}
