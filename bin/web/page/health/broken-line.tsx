import { useLayoutEffect, useRef } from "preact/hooks";
import { bytes } from "../../../format/bytes.ts";
import { grouped, withSigns } from "../../../format/safe.ts";
import type { FileProblem, LineAnswer, LinePart } from "../../api/answers.ts";
import { useAnswer } from "../shell/ask.ts";
import { Trouble } from "../shell/trouble.tsx";

/** A line as the file has it now, with what is broken in it marked. */
export function BrokenLine({ problem, version }: { problem: FileProblem; version: number }) {
  const { path: file, line, byteOffset: offset } = problem;
  const { data, error } = useAnswer<LineAnswer>("line", { file, line, offset }, version);
  const box = useRef<HTMLElement>(null);
  const isThere = data !== undefined;
  useLayoutEffect(() => {
    const mark = box.current?.querySelector<HTMLElement>("[data-broken]");
    // The line may be long; the page itself stays where it is.
    if (isThere && mark && box.current) box.current.scrollTop = Math.max(0, mark.offsetTop - 48);
  }, [isThere]);
  if (error !== undefined) return <Trouble error={error} />;
  if (!data) return <p class="quiet">Reading …</p>;
  const size = data.isWhole ? bytes(data.bytes) : `more than ${bytes(data.bytes)}`;
  return (
    <div class="broken-line">
      <p class="quiet">
        {size} from byte {grouped(data.byteOffset)}
        {data.parts.some(({ kind }) => kind === "here") && "; no JSON from the mark on"}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
      <section class="broken-text" ref={box} tabIndex={0} aria-label={`Line ${line}, as the file has it`}>
        <code>
          {data.parts.map((part, n) => (
            <Part key={n} part={part} />
          ))}
        </code>
      </section>
    </div>
  );
}

function Part({ part }: { part: LinePart }) {
  if (part.kind === "text") return <>{withSigns(part.text)}</>;
  if (part.kind === "left") return <span class="chip">{bytes(part.bytes)} not shown</span>;
  if (part.kind === "bytes")
    return (
      <mark class="broken-bytes" data-broken="bytes" title="bytes that are no text">
        {part.hex}
      </mark>
    );
  return (
    <mark class="broken-here" data-broken="here" title="no JSON from here on">
      {part.text === "" ? "the line ends here" : withSigns(part.text)}
    </mark>
  );
}
