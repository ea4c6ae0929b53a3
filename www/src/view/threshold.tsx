/** The two thresholds: as sliders, and as the lines in the rows, which can be taken hold of anywhere. */
import { useRef } from "preact/hooks";
import { option, type ThresholdName } from "../options.js";
import { usePage } from "./page.js";

/** The slider of a threshold. */
export function ThresholdInput({ name, label, id }: { name: ThresholdName; label?: string; id?: string }) {
  const { page, state } = usePage();
  return (
    <input
      type="range"
      min={0}
      max={1}
      step={0.01}
      id={id}
      aria-label={label}
      value={option(state.settings, name)}
      onInput={(event) => page.changeOption(name, event.currentTarget.valueAsNumber, "decide")}
    />
  );
}

/** A line that is being dragged: its threshold, and where 0 and 1 are. */
interface Held {
  name: ThresholdName;
  left: number;
  width: number;
}

/**
 * Handlers for what surrounds the rows. The rows may be drawn anew while a line moves, so that the surrounding element has the pointer
 * and the line only says what was taken.
 */
export function useThresholdDrag() {
  const { page } = usePage();
  const held = useRef<Held | undefined>(undefined);
  const wasHeld = useRef(false);
  const onPointerDown = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    wasHeld.current = false;
    const line = (event.target as Element).closest<HTMLElement>("[data-line]");
    if (!line || event.button !== 0) return;
    const { left, width } = (line.parentElement as HTMLElement).getBoundingClientRect();
    held.current = { name: line.dataset.line as ThresholdName, left, width };
    wasHeld.current = true;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (!held.current) return;
    const { name, left, width } = held.current;
    const value = Math.round(Math.min(1, Math.max(0, (clientX - left) / width)) * 100) / 100;
    if (value !== option(page.state.settings, name)) page.changeOption(name, value, "decide");
  };
  const onPointerUp = () => {
    held.current = undefined;
  };
  // The click that ends a drag opens no row.
  const onClickCapture = (event: MouseEvent) => {
    if (!wasHeld.current) return;
    wasHeld.current = false;
    event.stopPropagation();
    event.preventDefault();
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onClickCapture };
}
