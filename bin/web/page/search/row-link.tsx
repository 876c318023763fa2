/**
 * Opens the session of a row, where a tooltip needs a place above the link of the title that the rest of the row is part
 * of. The title is the link for the keyboard and for screen readers.
 */
export function RowLink({ href }: { href: string }) {
  // biome-ignore lint/a11y/useAnchorContent: a second link with the same content would be read out twice
  return <a class="row-link" href={href} tabIndex={-1} aria-hidden="true" />;
}
