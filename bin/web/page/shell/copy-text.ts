/** Copies a text. @returns what to say about it: whether it worked */
export async function copyText(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `Copied ${what}.`;
  } catch {
    return `This browser does not let the page copy: ${text}`;
  }
}
