import { PidexError } from "../../library/index.ts";
import { changeMetadata, showMetadata } from "./change-metadata.ts";
import type { Io } from "./io.ts";
import type { WriteFlags } from "./write-flags.ts";

interface Flags extends WriteFlags {
  clear?: boolean;
}

/** `pidex label`: sets, removes or shows the label of an entry. */
export async function run(
  io: Io,
  [session = "", entryId = "", ...words]: string[],
  flags: Flags,
): Promise<number> {
  const label = words.join(" ").trim();
  if (words.length > 0 && (label === "" || flags.clear)) {
    const what = flags.clear ? "a label conflicts with --clear" : "the label is empty";
    throw new PidexError("BAD_OPTION", what, "Pass a label to set it, or --clear to remove it.");
  }
  if (words.length === 0 && !flags.clear) {
    const values = (organised: { label?: string }) => (organised.label ? [organised.label] : []);
    return showMetadata(io, session, flags, { values, nothing: "no label", entryId });
  }
  return changeMetadata(io, [session], flags, {
    entryId,
    change: (manager) => {
      const isSame = (manager.getLabel(entryId) ?? "") === label;
      return isSame ? undefined : manager.appendLabelChange(entryId, label === "" ? undefined : label);
    },
    describe: (organised) =>
      organised.label ? `${entryId} labelled ${organised.label}` : `${entryId} has no label`,
  });
}
