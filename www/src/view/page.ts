/** How views get at the page. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Page } from "../state.js";

export const PageContext = createContext<Page | undefined>(undefined);

/** The page, its state and its words. */
export function usePage() {
  const page = useContext(PageContext) as Page;
  return { page, state: page.state, t: page.texts };
}
