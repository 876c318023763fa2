import { PidexError } from "../../library/index.ts";
import type { Io } from "./io.ts";
import { organise, showOrganised } from "./organise.ts";
import type { WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  clear?: boolean;
}

/** `pidex label`: labels an entry of a session, or shows its label. */
export async function run(
  io: Io,
  [session = "", entryId = "", ...words]: string[],
  flags: Flags,
): Promise<number> {
  const label = words.join(" ").trim();
  if (words.length > 0 && (label === "" || flags.clear)) {
    const what = flags.clear ? "a label and --clear are given both" : "the label is empty";
    throw new PidexError("BAD_OPTION", what, "Give a label, or --clear to take it away.");
  }
  if (words.length === 0 && !flags.clear) {
    const values = (organised: { label?: string }) => (organised.label ? [organised.label] : []);
    return showOrganised(io, session, flags, { values, nothing: "no label", entryId });
  }
  return organise(io, [session], flags, {
    entryId,
    change: (manager) => {
      const isSame = (manager.getLabel(entryId) ?? "") === label;
      return isSame ? undefined : manager.appendLabelChange(entryId, label === "" ? undefined : label);
    },
    told: (organised) =>
      organised.label ? `${entryId} labelled ${organised.label}` : `${entryId} has no label`,
  });
}
