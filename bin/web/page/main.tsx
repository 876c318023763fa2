import "./design/tokens.css";
import "./design/base.css";

import { render } from "preact";
import { App } from "./app.tsx";
import { listenForChanges } from "./shell/changes.ts";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
listenForChanges();
render(<App />, document.getElementById("page") as HTMLElement);
