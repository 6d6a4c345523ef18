import "./style.css";

import { render } from "preact";

import { App } from "./app";
import { applyTheme } from "./shell/theme";
import { keepFocusNear } from "./ui/focus";

applyTheme();
keepFocusNear();
render(<App />, document.getElementById("app")!);
