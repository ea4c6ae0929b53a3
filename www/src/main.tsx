/** The page: draws it, and keeps its files for the next time, which may be offline. */
import { render } from "preact";
import { Page } from "./state.js";
import { App } from "./view/app.js";

render(<App page={new Page()} />, document.getElementById("page") as HTMLElement);

if (import.meta.env.PROD && "serviceWorker" in navigator) {
  // Where it is refused (a private window, plain http) the page works without.
  navigator.serviceWorker.register("./sw.js").catch(() => undefined);
}
