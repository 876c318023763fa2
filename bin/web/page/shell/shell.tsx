import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { useLocation } from "preact-iso";
import { getLastSearch } from "./address.ts";
import { Brand } from "./brand.tsx";
import { indexStatus } from "./changes.ts";
import { ExportList } from "./export-list.tsx";
import { Help } from "./help.tsx";
import { MessagePage } from "./message-page.tsx";
import "./shell.css";
import { hub } from "./source.ts";
import { ThemeButton } from "./theme.tsx";

const VIEWS = [
  {
    address: "/",
    name: "Sessions",
    isAt: (path: string) => path === "/" || path.startsWith("/session/") || path === "/trash",
  },
  { address: "/usage", name: "Usage", isAt: (path: string) => path.startsWith("/usage") },
  {
    address: "/health",
    name: "Health",
    isAt: (path: string) => path.startsWith("/health"),
    isLocal: true,
  },
];

/** The frame of every view: navigation, index status and theme. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path, route } = useLocation();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "k" || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (path !== "/") route(getLastSearch());
      focusSearch();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [path, route]);
  return (
    <>
      <a class="skip" href="#view">
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href="/" aria-label="pidex: all sessions">
          <Brand />
          <span>pidex</span>
        </a>
        <nav aria-label="Views">
          {VIEWS.filter(({ isLocal }) => !isLocal || hub.value === undefined).map(
            ({ address, name, isAt }) => (
              <a
                key={address}
                href={address === "/" ? getLastSearch() : address}
                aria-current={isAt(path) ? "page" : undefined}
              >
                {name}
              </a>
            ),
          )}
        </nav>
        {hub.value === undefined ? <IndexStatusLabel /> : <HubLabel hub={hub.value} />}
        <Help path={path} />
        <ThemeButton />
      </header>
      <div id="view" tabIndex={-1}>
        <ViewErrorBoundary at={path}>{children}</ViewErrorBoundary>
      </div>
      <ExportList />
    </>
  );
}

/** Focuses the search field, once the view that has it is drawn. */
function focusSearch(frames = 60): void {
  const field = document.querySelector<HTMLInputElement>(".query-input");
  field?.focus();
  field?.select();
  if (!field && frames > 0) requestAnimationFrame(() => focusSearch(frames - 1));
}

/** The status of the index. */
function IndexStatusLabel() {
  const { state, label, message } = indexStatus.value;
  return (
    <span class={`freshness freshness-${state}`} role="status" title={message}>
      {label}
    </span>
  );
}

/** Whose sessions these are. */
function HubLabel({ hub }: { hub: string }) {
  return (
    <span class="freshness freshness-hub" role="status" title="Reload the page to see new sessions">
      Sessions of {hub}. Read-only.
    </span>
  );
}

/** Catches render errors of a view and shows a message until `at` changes. */
function ViewErrorBoundary({ at, children }: { at: string; children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary();
  useEffect(retry, [at]);
  if (error === undefined) return <>{children}</>;
  return (
    <MessagePage title="This view failed" error={error}>
      <p>
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      </p>
    </MessagePage>
  );
}
