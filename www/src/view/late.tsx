/** Views that are loaded when they are first needed. */
import { useEffect, useState } from "preact/hooks";

type Extras = typeof import("./extras.js");

let extras: Extras | undefined;

/** A view of the extras, as soon as it is there. */
export function Late({ view }: { view: keyof Extras }) {
  const [, redraw] = useState(false);
  useEffect(() => {
    if (extras) return;
    void import("./extras.js").then((loaded) => {
      extras = loaded;
      redraw(true);
    });
  }, []);
  const View = extras?.[view];
  return View ? <View /> : null;
}
