import "./design/tokens.css";
import "./design/base.css";

import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
render(<App />, document.getElementById("page") as HTMLElement);
