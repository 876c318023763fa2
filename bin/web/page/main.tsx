import "./design/tokens.css";
import "./design/base.css";

import { render } from "preact";
import { App } from "./app.tsx";
import { listenForChanges } from "./shell/changes.ts";
import { signInFromLink } from "./shell/signed-in.ts";
import { applyTheme } from "./shell/theme.tsx";
import { trackViewState } from "./shell/view-state.ts";

applyTheme();
trackViewState();
await signInFromLink();
listenForChanges();
render(<App />, document.getElementById("page") as HTMLElement);
