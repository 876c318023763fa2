import "./design/tokens.css";
import "./design/base.css";

import { render } from "preact";
import { App } from "./app.tsx";
import { listenForChanges } from "./shell/changes.ts";
import { trackViewState } from "./shell/places.ts";
import { signInFromLink } from "./shell/signed-in.ts";
import { applyTheme } from "./shell/theme.tsx";

applyTheme();
trackViewState();
await signInFromLink();
listenForChanges();
render(<App />, document.getElementById("page") as HTMLElement);
