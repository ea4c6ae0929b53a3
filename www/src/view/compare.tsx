/** Every changed message, before and after, side by side. */
import { useEffect, useState } from "preact/hooks";
import type { Change, ChangedMessage, Changes } from "../worker/protocol.js";
import { usePage } from "./page.js";
import { SideBySide, TextBox } from "./text.js";

/** Messages shown at once. */
const PAGE = 20;

export function Compare() {
  const { page, state, t } = usePage();
  const [count, setCount] = useState(PAGE);
  const [changes, setChanges] = useState<Changes>();
  const { outcome } = state;
  useEffect(() => {
    let isCurrent = true;
    const take = (changes: Changes) => isCurrent && setChanges(changes);
    page.do("changes", { from: 0, count }).then(take, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [outcome, count]);
  if (!changes) return <p class="quiet">…</p>;
  const left = changes.total - changes.messages.length;
  return (
    <div class="compare">
      <p class="verified">
        {changes.total === 0 ? t.compare.none : t.compare.total(changes.total, outcome?.unchanged ?? 0)}
      </p>
      {changes.messages.map((message) => (
        <Message message={message} key={message.index} />
      ))}
      {left > 0 && (
        <button type="button" onClick={() => setCount(count + PAGE)}>
          {t.compare.more(Math.min(PAGE, left))}
        </button>
      )}
    </div>
  );
}

function Message({ message }: { message: ChangedMessage }) {
  const { t } = usePage();
  return (
    <article class="changed">
      <h3>{t.compare.message(message.index, t.roles[message.role] ?? message.role)}</h3>
      {message.pieces.map((piece, position) => (
        <Piece piece={piece} key={position} />
      ))}
    </article>
  );
}

function Piece({ piece }: { piece: Change }) {
  const { t } = usePage();
  const { state, text, after = "", tool } = piece;
  const title = `${t.compare.kinds[piece.kind]}${tool === undefined ? "" : ` ${tool}`}`;
  if (state === "same" && (text.trim() === "" || piece.kind === "other")) return null;
  if (state === "same") return <p class="unchanged">{`${title}: ${text.slice(0, 160)}`}</p>;
  const labels: [string, string] = [`${title}, ${t.compare.before}`, `${title}, ${t.compare.after}`];
  return (
    <div class={`change ${state}`}>
      <div class="change-head">
        <span>{title}</span>
        <Buttons piece={piece} />
      </div>
      {state === "removed" ? (
        <div class="sides">
          <TextBox label={labels[0]} kind="gone">
            {text}
          </TextBox>
          <p class="void">{t.compare.removed}</p>
        </div>
      ) : (
        <SideBySide labels={labels} before={text} after={after} />
      )}
    </div>
  );
}

/** Opens and restores; once a pair, at its call where that went too. */
function Buttons({ piece }: { piece: Change }) {
  const { page, state, t } = usePage();
  const call = state.session?.calls.find(({ id }) => id === piece.pair);
  if (!call) return null;
  const isFirst = piece.kind === "call" || piece.state === "shortened";
  return (
    <span class="pair-of-buttons">
      <button type="button" class="small" aria-haspopup="dialog" onClick={() => page.set({ open: call.id })}>
        {t.compare.open} {call.id}
      </button>
      {isFirst && (
        <button type="button" class="small" onClick={() => page.toggleCall(call.call_id)}>
          {t.pair.restore}
          <span class="hidden"> {call.id}</span>
        </button>
      )}
    </span>
  );
}
