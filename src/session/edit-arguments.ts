/** The arguments of the tools that edit files, as agents name them. */

export const PATH_ARGUMENTS = ["path", "file_path", "filePath", "filename", "file"];
export const OLD_TEXT_ARGUMENTS = ["oldText", "old_string", "oldString", "old_str", "old_text"];
export const NEW_TEXT_ARGUMENTS = ["newText", "new_string", "newString", "new_str", "new_text"];
export const WHOLE_TEXT_ARGUMENTS = ["content", "file_text", "contents", "text"];
export const INSERTED_TEXT_ARGUMENTS = ["insert_text", "new_str", "text", "content"];
export const PATCH_ARGUMENTS = ["patch", "diff", "patchText", "input"];

/** The first of these arguments that is a text. */
export function getTextArgument(
  fields: Record<string, unknown>,
  names: readonly string[],
): string | undefined {
  for (const name of names) if (typeof fields[name] === "string") return fields[name];
  return undefined;
}

/** Whether a text is a unified diff, or a patch in the format without line numbers that models write. */
export function isPatch(text: string): boolean {
  return /^(?:@@ -\d+(?:,\d+)? \+\d+|\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: ))/m.test(text);
}

/** The line that names a file in a patch. */
export const PATCH_FILE_LINE = /^(?:\+\+\+ (?:b\/)?|\*\*\* (?:Update|Add|Delete) File: )(\S.*)$/;
