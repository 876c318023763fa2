import { useState } from "preact/hooks";
import { getProblemName } from "../../../format/problem-names.ts";
import { formatCount, formatInteger, toOneLine, toSafe } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { FileProblem } from "../../api/answers.ts";
import type { SessionJson } from "../../api/json.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { BrokenLine } from "./broken-line.tsx";

/** Files displayed at first, and added by each click. */
const FILES_PER_PAGE = 50;

interface Props {
  problems: readonly FileProblem[];
  /** By path. */
  sessions: ReadonlyMap<string, SessionJson>;
}

/** The problems in session files, by file. */
export function Problems({ problems, sessions }: Props) {
  const [maxFiles, setMaxFiles] = useState(FILES_PER_PAGE);
  const files = [...Map.groupBy(problems, ({ path }) => path)];
  return (
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">
        Problems <span class="chip">{formatInteger(problems.length)}</span>
      </h2>
      {files.length === 0 && <p class="quiet">No problems in session files.</p>}
      {files.slice(0, maxFiles).map(([path, ofFile]) => (
        <FileProblems key={path} path={path} session={sessions.get(path)} problems={ofFile} />
      ))}
      {files.length > maxFiles && (
        <button type="button" class="button" onClick={() => setMaxFiles(maxFiles + FILES_PER_PAGE)}>
          {formatCount(files.length - maxFiles, "more file")}
        </button>
      )}
    </section>
  );
}

const MAX_PROBLEMS_PER_FILE = 100;

interface FileProps {
  path: string;
  /** Undefined if the file is not a session. */
  session: SessionJson | undefined;
  problems: readonly FileProblem[];
}

function FileProblems({ path, session, problems }: FileProps) {
  const [folder, name] = splitPath(path);
  const omitted = problems.length - MAX_PROBLEMS_PER_FILE;
  return (
    <article class="card file-problems">
      <h3>
        {session && (
          <a href={sessionUrl(toUrlName(session))} dir="auto">
            {getSessionTitle(session)}
          </a>
        )}
        <bdi class={session ? "quiet path" : "path"}>{toOneLine(name)}</bdi>
        <bdi class="quiet path">{toOneLine(folder)}</bdi>
      </h3>
      <ul>
        {problems.slice(0, MAX_PROBLEMS_PER_FILE).map((problem) => (
          <li key={`${problem.line} ${problem.byteOffset} ${problem.code} ${problem.message}`}>
            <Problem problem={problem} />
          </li>
        ))}
      </ul>
      {omitted > 0 && (
        <p class="quiet">{formatCount(omitted, "more problem")} in this file: run pidex stats --problems.</p>
      )}
    </article>
  );
}

function Problem({ problem }: { problem: FileProblem }) {
  const [isOpen, setOpen] = useState(false);
  const { code, line, byteOffset, message } = problem;
  const summary = (
    <>
      <span class="problem-place">{line === 0 ? "file" : `line ${formatInteger(line)}`}</span>
      <span class="chip" title={code}>
        {getProblemName(code)}
      </span>
      <span class="problem-message" dir="auto">
        {toSafe(message)}
      </span>
    </>
  );
  if (line === 0) return <div class="problem">{summary}</div>;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="problem" title={`byte ${formatInteger(byteOffset)}`}>
        {summary}
      </summary>
      {isOpen && <BrokenLine problem={problem} />}
    </details>
  );
}

function splitPath(path: string): [folder: string, name: string] {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return [path.slice(0, at + 1), path.slice(at + 1)];
}
