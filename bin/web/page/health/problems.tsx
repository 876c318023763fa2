import { useState } from "preact/hooks";
import { counted, grouped, oneLine, safe } from "../../../format/safe.ts";
import type { FileProblem } from "../../api/answers.ts";
import { BrokenLine } from "./broken-line.tsx";

/** Files that are shown before more are asked for. */
const MOST_FILES = 50;

/** What is wrong in session files, by file. */
export function Problems({ problems, version }: { problems: readonly FileProblem[]; version: number }) {
  const [most, setMost] = useState(MOST_FILES);
  const files = [...Map.groupBy(problems, ({ path }) => path)];
  return (
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">
        Problems <span class="chip">{grouped(problems.length)}</span>
      </h2>
      {files.length === 0 && <p class="quiet">Every line of every session file could be read.</p>}
      {files.slice(0, most).map(([path, of]) => (
        <FileProblems key={path} path={path} problems={of} version={version} />
      ))}
      {files.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + MOST_FILES)}>
          {counted(files.length - most, "more file")}
        </button>
      )}
    </section>
  );
}

const MOST_OF_FILE = 100;

function FileProblems({
  path,
  problems,
  version,
}: {
  path: string;
  problems: readonly FileProblem[];
  version: number;
}) {
  const [folder, name] = splitPath(path);
  const left = problems.length - MOST_OF_FILE;
  return (
    <article class="card file-problems">
      <h3>
        <bdi class="path">{oneLine(name)}</bdi>
        <bdi class="quiet path">{oneLine(folder)}</bdi>
      </h3>
      <ul>
        {problems.slice(0, MOST_OF_FILE).map((problem) => (
          <li key={`${problem.line} ${problem.byteOffset} ${problem.code} ${problem.message}`}>
            <Problem problem={problem} version={version} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p class="quiet">{counted(left, "more problem")} in this file: pidex stats --problems lists them.</p>
      )}
    </article>
  );
}

function Problem({ problem, version }: { problem: FileProblem; version: number }) {
  const [isOpen, setOpen] = useState(false);
  const { code, line, byteOffset, message } = problem;
  const words = (
    <>
      <span class="problem-place">{line === 0 ? "file" : `line ${grouped(line)}`}</span>
      <code class="chip">{code}</code>
      <span class="problem-message" dir="auto">
        {safe(message)}
      </span>
    </>
  );
  if (line === 0) return <div class="problem">{words}</div>;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="problem" title={`byte ${grouped(byteOffset)}`}>
        {words}
      </summary>
      {isOpen && <BrokenLine problem={problem} version={version} />}
    </details>
  );
}

function splitPath(path: string): [folder: string, name: string] {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return [path.slice(0, at + 1), path.slice(at + 1)];
}
