/** Texts that may be long, and the difference between two. */
import type { ComponentChildren } from "preact";
import { diff } from "../diff.js";

interface TextBoxProps {
  label: string;
  kind?: string;
  id?: string;
  children: ComponentChildren;
}

/** A text that scrolls by itself, also by keyboard. */
export function TextBox({ label, kind = "", id, children }: TextBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <pre class={`box ${kind}`} id={id} role="group" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  );
}

/** Two texts side by side, with what went and what came marked. */
export function SideBySide({ labels, before, after }: { labels: [string, string]; before: string; after: string }) {
  const { start, removed, added, end } = diff(before, after);
  return (
    <div class="sides">
      <TextBox label={labels[0]}>
        {start}
        <del>{removed}</del>
        {end}
      </TextBox>
      <TextBox label={labels[1]}>
        {start}
        <ins>{added}</ins>
        {end}
      </TextBox>
    </div>
  );
}
