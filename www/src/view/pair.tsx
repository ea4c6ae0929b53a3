/** One call in full: why, input, output before and after; restoring. */
import type { ExplainedSum } from "keepline";
import { useEffect, useState } from "preact/hooks";
import { kindOf, outcomeOf, reasonOf, type ShownVerdict, verdictOf } from "../verdict.js";
import type { CallHead, PairView } from "../worker/protocol.js";
import { Dialog } from "./dialog.js";
import { usePage } from "./page.js";
import { SideBySide, TextBox } from "./text.js";

export function PairDialog() {
  const { page, state } = usePage();
  const call = state.session?.calls.find(({ id }) => id === state.open);
  if (!call || !state.outcome) return null;
  return (
    <Dialog label={`${call.id} ${call.tool}`} onClose={() => page.set({ open: undefined })}>
      <Pair call={call} verdict={page.verdict(verdictOf(call, state.outcome), call)} />
    </Dialog>
  );
}

function Pair({ call, verdict }: { call: CallHead; verdict: ShownVerdict }) {
  const { page, state, t } = usePage();
  const [view, setView] = useState<PairView>();
  const { outcome } = state;
  useEffect(() => {
    let isCurrent = true;
    const take = (view: PairView) => isCurrent && setView(view);
    page.do("pair", { id: call.id }).then(take, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [call.id, outcome]);
  const kind = kindOf(verdict);
  const isProtected = state.settings.protected_call_ids.includes(call.call_id);
  const protectWord = isProtected ? t.pair.unprotect : kind.startsWith("drop") ? t.pair.restore : t.pair.protect;
  return (
    <>
      <header class="drawer-head">
        <h2>
          {call.verdict !== undefined && <span class="quiet">{call.id}</span>} {call.tool}
        </h2>
        <button type="button" class="small" onClick={() => page.set({ open: undefined })}>
          {t.close}
        </button>
      </header>
      <p class="verdict">
        <span class={`chip ${kind}`}>{outcomeOf(verdict, t)}</span> {reasonOf({ ...verdict, why: undefined }, t)}
        {verdict.applied && verdict.saved_chars > 0 && <span class="quiet"> {t.pair.frees(verdict.saved_chars)}</span>}
      </p>
      {call.verdict !== undefined && (
        <button type="button" class="primary" onClick={() => page.toggleCall(call.call_id)}>
          {protectWord}
        </button>
      )}
      <Why verdict={verdict} view={view} />
      {view && <Texts view={view} />}
    </>
  );
}

function Why({ verdict, view }: { verdict: ShownVerdict; view: PairView | undefined }) {
  const { state, t } = usePage();
  const explain = view?.explain;
  return (
    <section>
      <h3>{t.pair.why}</h3>
      {verdict.keep_call === undefined && <p>{t.pair.whyProtected(t.reasons[verdict.reason])}</p>}
      {verdict.keep_call !== undefined && view && !explain && <p>{t.pair.whyRemote}</p>}
      {explain && verdict.keep_call !== undefined && (
        <>
          <p class="sentence">{explain.sentence[state.language]}</p>
          {view?.explained !== verdict.action && <p class="quiet">{t.pair.atRun}</p>}
          <Sum title={t.pair.callSum} sum={explain.call} />
          <Sum title={t.pair.resultSum} sum={explain.result} />
        </>
      )}
    </section>
  );
}

/** The factors of a probability as a table whose column adds up. */
function Sum({ title, sum }: { title: string; sum: ExplainedSum }) {
  const { t } = usePage();
  const most = Math.max(1, Math.abs(sum.base), ...sum.factors.map(({ contribution }) => Math.abs(contribution)));
  const probability = 1 / (1 + Math.exp(-sum.z));
  return (
    <table class="sum">
      <caption>
        {title} <strong>{probability.toFixed(2)}</strong>
      </caption>
      <thead>
        <tr>
          <th scope="col">{t.pair.factor}</th>
          <th scope="col">{t.pair.value}</th>
          <th scope="col">{t.pair.contribution}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{t.pair.base}</th>
          <td />
          <Weight value={sum.base} most={most} />
        </tr>
        {sum.factors.map(({ code, value, contribution }) => (
          <tr key={code}>
            <th scope="row">{t.pair.factors[code]}</th>
            <td>{t.number(Number(value.toFixed(2)))}</td>
            <Weight value={contribution} most={most} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Weight({ value, most }: { value: number; most: number }) {
  const sign = value < 0 ? "minus" : "plus";
  return (
    <td class={`weight ${sign}`}>
      <span class="weight-bar" style={{ "--weight": Math.abs(value) / most }} />
      {value < 0 ? "−" : "+"}
      {Math.abs(value).toFixed(2)}
    </td>
  );
}

function Texts({ view }: { view: PairView }) {
  const { t } = usePage();
  const { before, after } = view;
  const isSame = after?.text === before.text;
  return (
    <>
      <h3>{t.pair.input}</h3>
      <TextBox label={t.pair.input} kind="short">
        {view.input.text}
      </TextBox>
      <h3>
        {t.pair.output} <span class="quiet">{t.characters(before.chars)}</span>
      </h3>
      {isSame && <p class="quiet">{t.pair.whole}</p>}
      {!after && <p class="quiet">{t.pair.gone}</p>}
      {after && !isSame ? (
        <SideBySide labels={[t.compare.before, t.compare.after]} before={before.text} after={after.text} />
      ) : (
        <TextBox label={t.pair.output} kind={after ? "" : "gone"}>
          {before.text}
        </TextBox>
      )}
    </>
  );
}
