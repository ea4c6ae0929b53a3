/** What went wrong, in words of the user's. */
import { usePage } from "./page.js";

/** What the browsers say when nothing answers, or may not. */
const UNREACHABLE = /Failed to fetch|NetworkError|Load failed/;

export function FaultNotice() {
  const { page, state, t } = usePage();
  const { fault } = state;
  if (!fault) return null;
  const isUnreachable = fault.code === "decision_failed" && UNREACHABLE.test(fault.message);
  const advice = isUnreachable ? t.faults.unreachable : (t.faults[fault.code] ?? t.faults.internal);
  return (
    <section class="toast fault" role="alert">
      <div>
        <strong>{fault.code === "aborted" ? advice : t.faults.heading}</strong>
        {fault.code !== "aborted" && <p>{advice}</p>}
        {fault.code !== "aborted" && <p class="quiet">{fault.message}</p>}
      </div>
      <button type="button" onClick={() => page.set({ fault: undefined })}>
        {t.close}
      </button>
    </section>
  );
}
