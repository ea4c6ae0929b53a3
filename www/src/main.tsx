/** The page: draws it, and keeps its files for the next time, which may be offline. */
import { render } from "preact";
import { Page } from "./state.js";
import { App } from "./view/app.js";

render(<App page={await Page.start()} />, document.getElementById("page") as HTMLElement);

if (import.meta.env.PROD && "serviceWorker" in navigator) {
  // Where it is refused (a private window, plain http) the page works without.
  const register = () => navigator.serviceWorker.register("./sw.js").catch(() => undefined);
  // After the first paint, and not against it.
  setTimeout(register, 500);
}
