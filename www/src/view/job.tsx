/** The job that runs, and the failure of the last one. Floats above the page, so that nothing moves. */
import { Late } from "./late.js";
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
  return fault ? <Late view="FaultNotice" /> : null;
}
