/** A list of rows of one height of which only those in sight exist, with one tab stop and arrow keys. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows drawn beyond either edge. */
const MARGIN = 6;
const NARROW = "(max-width: 720px)";

interface VirtualListProps {
  label: string;
  count: number;
  /** Height of a row in pixels, in a wide and in a narrow window. */
  heights: readonly [wide: number, narrow: number];
  variables: Record<string, number>;
  row(index: number, tabIndex: 0 | -1): ComponentChildren;
  onKey?(index: number, event: KeyboardEvent): void;
}

export function VirtualList({ label, count, heights, variables, row, onKey }: VirtualListProps) {
  const list = useRef<HTMLOListElement>(null);
  const height = useNarrow() ? heights[1] : heights[0];
  const [top, viewport] = useScroll(list);
  const [chosen, setChosen] = useState(0);
  const wantsFocus = useRef(false);
  const active = Math.min(chosen, count - 1);
  const first = Math.max(0, Math.floor(top / height) - MARGIN);
  const last = Math.min(count - 1, Math.ceil((top + viewport) / height) + MARGIN);
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  // The active row is always there, so that the list can be reached by keyboard.
  if (active >= 0 && (active < first || active > last)) shown.push(active);

  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    list.current?.querySelector<HTMLElement>(`[data-row="${active}"] [tabindex="0"]`)?.focus({ preventScroll: true });
  });

  const move = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    wantsFocus.current = true;
    setChosen(next);
    reveal(list.current, next * height, height);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(viewport / height) - 1);
    const targets: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: count - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return onKey?.(active, event);
    event.preventDefault();
    move(target);
  };
  const onFocus = (event: FocusEvent) => {
    const index = (event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row;
    if (index !== undefined) setChosen(Number(index));
  };

  return (
    <ol ref={list} class="rows" aria-label={label} style={variables} onKeyDown={onKeyDown} onFocusIn={onFocus}>
      <li class="space" aria-hidden="true" style={{ height: `${count * height}px` }} />
      {shown.map((index) => (
        <li
          key={index}
          class="row-at"
          data-row={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
        >
          {row(index, index === active ? 0 : -1)}
        </li>
      ))}
    </ol>
  );
}

function reveal(list: HTMLElement | null, top: number, height: number): void {
  if (!list) return;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
}

function useScroll(list: { current: HTMLElement | null }): [top: number, viewport: number] {
  const [seen, setSeen] = useState<[number, number]>([0, 600]);
  useEffect(() => {
    const element = list.current as HTMLElement;
    const look = () => setSeen([element.scrollTop, element.clientHeight]);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [list]);
  return seen;
}

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = () => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
