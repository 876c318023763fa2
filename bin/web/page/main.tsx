import "./design/fonts.css";
import "./design/tokens.css";
import "./design/base.css";
import "./design/menus.css";

import { render } from "preact";
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { SearchView } from "./search/search-view.tsx";
import { listenForChanges } from "./shell/changes.ts";
import { NotFound } from "./shell/not-found.tsx";
import { orNotLoaded } from "./shell/not-loaded.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignIn } from "./shell/sign-in.tsx";
import { isSignedIn, signInFromLink } from "./shell/signed-in.ts";
import { followSource } from "./shell/source.ts";
import { applyTheme } from "./shell/theme.tsx";
import { trackViewState } from "./shell/view-state.ts";

// The other views load on demand.
const SessionView = lazy(() =>
  orNotLoaded(() => import("./session/session-view.tsx").then((module) => module.SessionView)),
);
const UsageView = lazy(() =>
  orNotLoaded(() => import("./usage/usage-view.tsx").then((module) => module.UsageView)),
);
const InsightsView = lazy(() =>
  orNotLoaded(() => import("./insights/insights-view.tsx").then((module) => module.InsightsView)),
);
const HealthView = lazy(() =>
  orNotLoaded(() => import("./health/health-view.tsx").then((module) => module.HealthView)),
);
const TrashView = lazy(() =>
  orNotLoaded(() => import("./trash/trash-view.tsx").then((module) => module.TrashView)),
);

/** Addresses handled by the page's router. Addresses below `/api/` are downloads from the server. */
const VIEWS = /^\/(?!api\/)/;

/** The page: the shell, and the view for the current address. */
function App() {
  if (!isSignedIn.value) return <SignIn />;
  return (
    <LocationProvider scope={VIEWS}>
      <Shell>
        <ErrorBoundary>
          <Router>
            <Route path="/" component={SearchView} />
            <Route path="/session/:session" component={SessionView} />
            <Route path="/usage" component={UsageView} />
            <Route path="/insights" component={InsightsView} />
            <Route path="/health" component={HealthView} />
            <Route path="/trash" component={TrashView} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Shell>
    </LocationProvider>
  );
}

applyTheme();
trackViewState();
await signInFromLink();
followSource();
listenForChanges();
render(<App />, document.getElementById("page") as HTMLElement);
