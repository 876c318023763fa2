import type { BranchRows } from "./branch-rows.ts";
import { toEntryParams } from "./entry-addresses.ts";
import type { RowProps } from "./transcript-row.tsx";

interface Props extends Pick<RowProps, "addressOf"> {
  branch: BranchRows;
  /** The prompt, as a message of the branch. */
  prompt: number;
  /** Undefined until it has loaded. */
  text: string | undefined;
}

/** The prompt that a filter hides, on one line above what was done for it: a link to it among everything. */
export function PromptAbove({ branch, prompt, text, addressOf }: Props) {
  const params = toEntryParams(branch.tree, branch.key(prompt), true);
  return (
    <a
      class={text === undefined ? "prompt-above prompt-above-waiting" : "prompt-above"}
      href={addressOf({ ...params, show: "" })}
      title={text}
    >
      <span class="prompt-above-who">You</span> <bdi class="prompt-above-text">{text ?? "…"}</bdi>
    </a>
  );
}
