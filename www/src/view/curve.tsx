/** Characters saved against each threshold, and the two sliders. */
import { option, type ThresholdName } from "../options.js";
import type { Outcome, Curve as Points } from "../worker/protocol.js";
import { usePage } from "./page.js";
import { ThresholdInput } from "./threshold.js";

const WIDTH = 400;
const HEIGHT = 96;

export function Curve() {
  const { state, t } = usePage();
  const { curve, outcome, settings } = state;
  const call = option(settings, "keep_call_threshold");
  const result = option(settings, "keep_result_threshold");
  return (
    <div class="curve">
      <p class="label" id="curve-label">
        {t.summary.curve}
        {outcome && <span class="quiet saved">{t.summary.saved(savedBy(outcome))}</span>}
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${t.summary.curve}. ${t.summary.curveSays(call, result)}`}
      >
        <path class="grid" d={`M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {curve && <path class="call-curve" d={pathOf(curve, "call")} />}
        {curve && <path class="result-curve" d={pathOf(curve, "result")} />}
        <path class="call-line" d={`M${call * WIDTH} 0V${HEIGHT}`} />
        <path class="result-line" d={`M${result * WIDTH} 0V${HEIGHT}`} />
      </svg>
      <p class="scale" aria-hidden="true">
        <span>0</span>
        <span>0.5</span>
        <span>1</span>
      </p>
      <Threshold name="keep_call_threshold" label={t.summary.callLine} hint={t.summary.callHint} />
      <Threshold name="keep_result_threshold" label={t.summary.resultLine} hint={t.summary.resultHint} />
    </div>
  );
}

function savedBy({ verdicts }: Outcome): number {
  return verdicts.reduce((sum, { saved_chars }) => sum + saved_chars, 0);
}

/** The path of a curve; the top is the most that any threshold saves. */
function pathOf(curve: Points, kind: "call" | "result"): string {
  const most = Math.max(1, ...curve.call, ...curve.result);
  const points = curve.thresholds.map((threshold, index) => {
    const saved = curve[kind][index] ?? 0;
    return `${(threshold * WIDTH).toFixed(1)} ${(HEIGHT - 2 - (saved / most) * (HEIGHT - 6)).toFixed(1)}`;
  });
  return `M${points.join("L")}`;
}

function Threshold({ name, label, hint }: { name: ThresholdName; label: string; hint: string }) {
  const { state } = usePage();
  return (
    <div class={`threshold ${name}`}>
      <label for={name}>
        {label} <strong>{option(state.settings, name).toFixed(2)}</strong>
      </label>
      <span class="quiet">{hint}</span>
      <ThresholdInput name={name} id={name} />
    </div>
  );
}
