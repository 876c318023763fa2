import type { ComponentChildren } from "preact";

/** An address that a link may lead to, as the browser would go there; undefined for any other. */
export function outward(address: string): string | undefined {
  if (address.length > 8000 || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

/** A link that a session holds: it leads to the web, or it is told as text. */
export function OutwardLink({ address, children }: { address: string; children: ComponentChildren }) {
  const href = outward(address);
  if (href === undefined) {
    return (
      <span class="no-link">
        {children} <span class="quiet">({address.slice(0, 200)})</span>
      </span>
    );
  }
  return (
    <a {...{ href }} target="_blank" rel="noreferrer noopener" title={href.slice(0, 500)}>
      {children}
    </a>
  );
}
