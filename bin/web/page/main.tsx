import "./design/tokens.css";
import "./design/base.css";

import { render } from "preact";
import { App } from "./app.tsx";
import { listenForChanges } from "./shell/changes.ts";
import { keepPlaces } from "./shell/places.ts";
import { arrive } from "./shell/signed-in.ts";
import { applyTheme } from "./shell/theme.tsx";

applyTheme();
keepPlaces();
await arrive();
listenForChanges();
render(<App />, document.getElementById("page") as HTMLElement);
