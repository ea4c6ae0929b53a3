/** The whole conversation; every call is a row. */
import { useMemo } from "preact/hooks";
import { option } from "../options.js";
import { type Kind, kindOf, outcomeOf, reasonOf, verdictOf } from "../verdict.js";
import type { CallHead, MessageHead, Outcome, SessionHead } from "../worker/protocol.js";
import { usePage } from "./page.js";
import { ThresholdInput, useThresholdDrag } from "./threshold.js";
import { VirtualList } from "./virtual-list.js";

const HEIGHTS = [40, 96] as const;
/** What an arrow key moves a threshold by. */
const STEP = 0.01;

type Row = { message: MessageHead } | { call: CallHead };

export function Timeline() {
  const { page, state, t } = usePage();
  const { session, settings, filter, outcome } = state;
  const rows = useMemo(
    () => (session && outcome ? rowsOf(session, outcome, filter) : []),
    [session, filter, filter && outcome],
  );
  const variables = {
    "--call-at": option(settings, "keep_call_threshold"),
    "--result-at": option(settings, "keep_result_threshold"),
  };
  const onKey = (index: number, event: KeyboardEvent) => {
    const row = rows[index];
    if (!row) return;
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      page.moveThreshold(event.shiftKey ? "keep_result_threshold" : "keep_call_threshold", step);
    } else if (event.key.toLowerCase() === "p" && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if ("message" in row) page.toggleMessage(row.message.index);
      else if (row.call.verdict !== undefined) page.toggleCall(row.call.call_id);
    }
  };
  const drag = useThresholdDrag();
  return (
    <div class="timeline" {...drag}>
      {filter ? (
        <p class="quiet help">
          {t.timeline.only(rows.length, filter === "protected" ? t.protectedAction : t.actions[filter])}{" "}
          <button type="button" class="small" onClick={() => page.set({ filter: undefined })}>
            {t.timeline.all}
          </button>
        </p>
      ) : (
        <p class="quiet help">
          {session?.calls.length === 0 ? t.timeline.empty : t.timeline.help}
          {session?.calls.length !== 0 && <span class="keys"> {t.timeline.keys}</span>}
        </p>
      )}
      <TimelineHead />
      <VirtualList
        key={`${state.name} ${filter}`}
        label={t.timeline.label}
        count={rows.length}
        heights={HEIGHTS}
        variables={variables}
        onKey={onKey}
        row={(index, tabIndex) => <TimelineRow row={rows[index] as Row} tabIndex={tabIndex} />}
      />
    </div>
  );
}

/** The rows; with a filter the calls of one kind alone. */
function rowsOf({ messages, calls }: SessionHead, outcome: Outcome, filter: Kind | undefined): Row[] {
  if (filter) return calls.filter((call) => kindOf(verdictOf(call, outcome)) === filter).map((call) => ({ call }));
  const rows: Row[] = [];
  let at = 0;
  for (const message of messages) {
    if (!message.isBare) rows.push({ message });
    for (; calls[at]?.message === message.index; at++) rows.push({ call: calls[at] as CallHead });
  }
  return rows;
}

/** Names of the columns; the sliders stand over the bars that they cut. */
function TimelineHead() {
  const { t } = usePage();
  return (
    <div class="call-row timeline-head">
      <span class="what">{t.timeline.tool}</span>
      <span class="size">{t.timeline.size}</span>
      <span class="bar-head call-bar">
        <span aria-hidden="true">{t.timeline.call}</span>
        <ThresholdInput name="keep_call_threshold" label={`${t.timeline.call}: ${t.summary.callLine}`} />
      </span>
      <span class="bar-head result-bar">
        <span aria-hidden="true">{t.timeline.result}</span>
        <ThresholdInput name="keep_result_threshold" label={`${t.timeline.result}: ${t.summary.resultLine}`} />
      </span>
      <span class="outcome">{t.timeline.outcome}</span>
    </div>
  );
}

function TimelineRow({ row, tabIndex }: { row: Row; tabIndex: 0 | -1 }) {
  return "call" in row ? (
    <CallRow call={row.call} tabIndex={tabIndex} />
  ) : (
    <MessageRow message={row.message} tabIndex={tabIndex} />
  );
}

function MessageRow({ message, tabIndex }: { message: MessageHead; tabIndex: 0 | -1 }) {
  const { page, t } = usePage();
  const isOn = page.isProtected(message);
  const rule = page.ruleFor(message);
  const role = t.roles[message.role] ?? message.role;
  return (
    <button
      type="button"
      class={`message-row ${message.role}`}
      tabIndex={tabIndex}
      aria-pressed={isOn}
      onClick={() => page.toggleMessage(message.index)}
    >
      <span class="role">{role}</span>
      <span class="preview" title={message.preview}>
        {message.preview || t.timeline.noText}
      </span>
      <span class={`shield ${isOn ? "own-shield" : rule ? "rule" : "offer"}`}>
        {isOn ? t.timeline.unprotect : rule ? t.timeline.rules[rule] : t.timeline.protect}
        <span class="hidden"> {message.index + 1}</span>
      </span>
    </button>
  );
}

function CallRow({ call, tabIndex }: { call: CallHead; tabIndex: 0 | -1 }) {
  const { page, state, t } = usePage();
  if (!state.outcome) return null;
  const verdict = page.verdict(verdictOf(call, state.outcome), call);
  const kind = kindOf(verdict);
  return (
    <button
      type="button"
      class={`call-row ${kind}`}
      tabIndex={tabIndex}
      aria-haspopup="dialog"
      onClick={() => page.set({ open: call.id })}
    >
      <span class="what">
        {call.verdict !== undefined && <span class="hidden">{call.id} </span>}
        <span class="tool-name">{call.tool}</span>
        <span class="input">{call.preview}</span>
      </span>
      <span class="size">
        <span aria-hidden="true">{t.number(call.output_chars)}</span>
        <span class="hidden"> {t.characters(call.output_chars)}, </span>
      </span>
      <Bar kind="call" value={verdict.keep_call} />
      <Bar kind="result" value={verdict.keep_result} />
      <span class="outcome">
        <span class={`chip ${kind}`}>{outcomeOf(verdict, t)}</span>
        <span class="reason" title={reasonOf(verdict, t)}>
          {reasonOf(verdict, t)}
        </span>
      </span>
    </button>
  );
}

/** A probability against its threshold; the line comes from the list. */
function Bar({ kind, value }: { kind: "call" | "result"; value: number | undefined }) {
  const { t } = usePage();
  return (
    <span class={`bar ${kind}-bar`}>
      <span class="track">
        {value !== undefined && <span class="level" style={{ "--level": value }} />}
        {value !== undefined && <span class="line" data-line={`keep_${kind}_threshold`} />}
      </span>
      <span class="number">
        <span class="hidden">{t.timeline[kind]} </span>
        {value === undefined ? "–" : value.toFixed(2)}
        <span class="hidden">, </span>
      </span>
    </span>
  );
}
