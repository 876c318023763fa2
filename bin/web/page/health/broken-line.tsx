import { useLayoutEffect, useRef } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import { formatInteger, toSafeInput } from "../../../format/safe.ts";
import type { FileProblem, LineSegment } from "../../api/answers.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { LoadError } from "../shell/load-error.tsx";

/** The current content of a line, with invalid parts marked. */
export function BrokenLine({ problem }: { problem: FileProblem }) {
  const { path: file, line, byteOffset: offset } = problem;
  const { data, error } = useAnswer("line", { file, line, offset }, useVersion());
  const box = useRef<HTMLElement>(null);
  const isLoaded = data !== undefined;
  useLayoutEffect(() => {
    const mark = box.current?.querySelector<HTMLElement>("[data-broken]");
    // The line may be long. Scrolls only the box, not the page.
    if (isLoaded && mark && box.current) box.current.scrollTop = Math.max(0, mark.offsetTop - 48);
  }, [isLoaded]);
  if (error !== undefined) return <LoadError error={error} />;
  if (!data) return <p class="quiet">Reading …</p>;
  const size = data.isWhole ? formatBytes(data.bytes) : `more than ${formatBytes(data.bytes)}`;
  return (
    <div class="broken-line">
      <p class="quiet">
        {size} from byte {formatInteger(data.byteOffset)}
        {data.parts.some(({ kind }) => kind === "here") && "; invalid JSON from the mark"}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
      <section class="broken-text" ref={box} tabIndex={0} aria-label={`Content of line ${line}`}>
        <code>
          {data.parts.map((part, n) => (
            <Part key={n} part={part} />
          ))}
        </code>
      </section>
    </div>
  );
}

function Part({ part }: { part: LineSegment }) {
  if (part.kind === "text") return <>{toSafeInput(part.text)}</>;
  if (part.kind === "omitted") return <span class="chip">{formatBytes(part.bytes)} omitted</span>;
  if (part.kind === "bytes")
    return (
      <mark class="broken-bytes" data-broken="bytes" title="invalid UTF-8">
        {part.hex}
      </mark>
    );
  return (
    <mark class="broken-here" data-broken="here" title="invalid JSON from here">
      {part.text === "" ? "end of line" : toSafeInput(part.text)}
    </mark>
  );
}
