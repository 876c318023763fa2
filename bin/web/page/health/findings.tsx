import { useState } from "preact/hooks";
import { toOneLine, toSafe } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";

type Finding = Answers["doctor"]["diagnosis"]["findings"][number];

/** The findings, worst first, each with a fix. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0)
    return (
      <p class="card finding finding-none">
        <span class="level level-good">OK</span> No problems found.
      </p>
    );
  return (
    <section aria-label="Findings">
      <ul class="findings">
        {findings.map(({ level, code, message, todo, path }) => (
          <li key={`${code} ${path ?? ""} ${message}`} class="card finding" data-code={code}>
            <span class={`level level-${level}`}>{level}</span>
            <div class="finding-words">
              <p dir="auto">{toSafe(message)}</p>
              <p class="finding-todo">
                <code>{toOneLine(todo)}</code>
                <CopyButton text={todo} />
                {code === "problems" && <a href="#problems">Show below</a>}
              </p>
            </div>
            <code class="finding-code">{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Copies a text to the clipboard. */
function CopyButton({ text }: { text: string }) {
  const [done, setDone] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone("Copied");
    } catch {
      setDone("Not allowed"); // the clipboard permission was denied
    }
  };
  return (
    <button type="button" class="button button-plain" onClick={copy} aria-label={`Copy: ${toOneLine(text)}`}>
      <span aria-live="polite">{done || "Copy"}</span>
    </button>
  );
}
