/** The job that runs, and the failure of the last one. Floats above the page, so that nothing moves. */
import { usePage } from "./page.js";

export function Job() {
  const { page, state, t } = usePage();
  const { running, fault } = state;
  if (running) {
    const { phase, done, total } = running;
    return (
      <section class="toast waiting" aria-label={t.job.label}>
        <label>
          {t.job.phases[phase]}
          <progress max={total} {...(total > 1 && { value: done })} />
        </label>
        <button type="button" onClick={() => page.cancel()}>
          {t.job.cancel}
        </button>
      </section>
    );
  }
  if (!fault) return null;
  const advice = t.faults[fault.code] ?? t.faults.internal;
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
