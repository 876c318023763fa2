import type { ComponentChildren } from "preact";

/** Normalizes a URL that a link may lead to (http, https, mailto); undefined for any other. */
function toSafeUrl(address: string): string | undefined {
  if (address.length > 8000 || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

/** A link in session text. If its URL is not allowed, it is shown as text. */
export function ExternalLink({ address, children }: { address: string; children: ComponentChildren }) {
  const href = toSafeUrl(address);
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
