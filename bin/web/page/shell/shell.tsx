import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ActionBarSlot } from "./action-bar.tsx";
import { getLastSearch } from "./address.ts";
import { Brand } from "./brand.tsx";
import { indexStatus } from "./changes.ts";
import { type AvailableCommand, formatKey, listCommands, runKey, useCommands } from "./commands.ts";
import { ExportList } from "./export-list.tsx";
import { Help } from "./help.tsx";
import { MessagePage } from "./message-page.tsx";
import { Palette } from "./palette.tsx";
import "./shell.css";
import { hub } from "./source.ts";
import { setTheme, ThemeButton } from "./theme.tsx";

const VIEWS = [
  {
    address: "/",
    name: "Sessions",
    isAt: (path: string) => path === "/" || path.startsWith("/session/") || path === "/trash",
  },
  { address: "/usage", name: "Usage", isAt: (path: string) => path.startsWith("/usage") },
  { address: "/insights", name: "Insights", isAt: (path: string) => path.startsWith("/insights") },
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
  const palette = usePalette();
  useEffect(() => {
    document.addEventListener("keydown", runKey);
    return () => document.removeEventListener("keydown", runKey);
  }, []);
  useCommands("everywhere", () => ({
    palette: palette.open,
    search: () => {
      if (path !== "/") route(getLastSearch());
      focusSearch();
    },
    goSessions: () => route(getLastSearch()),
    goUsage: () => route("/usage"),
    goInsights: () => route("/insights"),
    ...(hub.value === undefined && { goHealth: () => route("/health"), goTrash: () => route("/trash") }),
    themeLight: () => setTheme("light"),
    themeDark: () => setTheme("dark"),
    themeSystem: () => setTheme("system"),
  }));
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
        <button
          type="button"
          class="button button-plain palette-button"
          title={`Commands and sessions (${formatKey("Ctrl+K")})`}
          onClick={palette.open}
        >
          <span class="palette-name">Commands </span>
          <kbd>{formatKey("Ctrl+K")}</kbd>
        </button>
        <Help path={path} />
        <ThemeButton />
      </header>
      <div id="view" tabIndex={-1}>
        <ViewErrorBoundary at={path}>{children}</ViewErrorBoundary>
      </div>
      <div class="notices">
        <ExportList path={path} />
        <ActionBarSlot />
      </div>
      {palette.commands && <Palette commands={palette.commands} route={route} onClose={palette.close} />}
    </>
  );
}

/** The commands of the open palette. The chosen one runs once the focus is back where it was: it may depend on that. */
function usePalette() {
  const [commands, setCommands] = useState<readonly AvailableCommand[]>();
  const chosen = useRef<() => unknown>(undefined);
  useLayoutEffect(() => {
    if (commands) return;
    const run = chosen.current;
    chosen.current = undefined;
    run?.();
  }, [commands]);
  return {
    commands,
    open: () => setCommands(listCommands()),
    close: (run?: () => unknown) => {
      chosen.current = run;
      setCommands(undefined);
    },
  };
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
