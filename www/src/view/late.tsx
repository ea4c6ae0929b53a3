/** Views that are loaded when they are first needed. */
import { useEffect, useState } from "preact/hooks";
import { usePage } from "./page.js";

type Extras = typeof import("./extras.js");

let extras: Extras | undefined;

/** A view of the extras, as soon as it is there. */
export function Late({ view }: { view: keyof Extras }) {
  const { page } = usePage();
  const [, redraw] = useState(false);
  useEffect(() => {
    if (extras && page.hasLateTexts) return;
    void Promise.all([import("./extras.js"), page.loadLateTexts()]).then(([loaded]) => {
      extras = loaded;
      redraw(true);
    });
  }, []);
  const View = page.hasLateTexts ? extras?.[view] : undefined;
  return View ? <View /> : null;
}
