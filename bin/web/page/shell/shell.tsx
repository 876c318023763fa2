import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { FreshnessSign } from "./freshness-sign.tsx";
import "./shell.css";
import { ThemeButton } from "./theme-button.tsx";
import { ViewGuard } from "./view-guard.tsx";

const VIEWS = [
  { address: "/", name: "Sessions", isAt: (path: string) => path === "/" || path.startsWith("/session/") },
  { address: "/usage", name: "Usage", isAt: (path: string) => path.startsWith("/usage") },
  { address: "/health", name: "Health", isAt: (path: string) => path.startsWith("/health") },
];

/** What stands around every view: its name, the way to the others, how fresh it is. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  return (
    <>
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <header class="bar">
        <a class="brand" href="/" aria-label="pidex: all sessions">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M8 11.5h16M12.5 11.5v11M20 11.5v8.4c0 1.7.8 2.6 2.2 2.6h1" />
          </svg>
          <span>pidex</span>
        </a>
        <nav aria-label="Views">
          {VIEWS.map(({ address, name, isAt }) => (
            <a key={address} href={address} aria-current={isAt(path) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <FreshnessSign />
        <ThemeButton />
      </header>
      <div id="view" tabIndex={-1}>
        <ViewGuard at={path}>{children}</ViewGuard>
      </div>
    </>
  );
}
