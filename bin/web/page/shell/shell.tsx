import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { Brand } from "./brand.tsx";
import { IndexStatusLabel } from "./index-status-label.tsx";
import "./shell.css";
import { ThemeButton } from "./theme.tsx";
import { ViewErrorBoundary } from "./view-error-boundary.tsx";

const VIEWS = [
  { address: "/", name: "Sessions", isAt: (path: string) => path === "/" || path.startsWith("/session/") },
  { address: "/usage", name: "Usage", isAt: (path: string) => path.startsWith("/usage") },
  { address: "/health", name: "Health", isAt: (path: string) => path.startsWith("/health") },
];

/** The frame of every view: navigation, index status and theme. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
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
          {VIEWS.map(({ address, name, isAt }) => (
            <a key={address} href={address} aria-current={isAt(path) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <IndexStatusLabel />
        <ThemeButton />
      </header>
      <div id="view" tabIndex={-1}>
        <ViewErrorBoundary at={path}>{children}</ViewErrorBoundary>
      </div>
    </>
  );
}
