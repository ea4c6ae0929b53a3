/** The user in the place of the model: the questions of one request, to be answered by hand. */
import { useState } from "preact/hooks";
import type { Ask } from "../worker/protocol.js";
import { Dialog } from "./dialog.js";
import { usePage } from "./page.js";

export function AskDialog() {
  const { page, state, t } = usePage();
  const { ask } = state;
  if (!ask) return null;
  return (
    <Dialog label={t.ask.heading(ask.batch, ask.batches)} onClose={() => page.cancel()}>
      <Questions ask={ask} key={ask.batch} />
    </Dialog>
  );
}

function Questions({ ask }: { ask: Ask }) {
  const { page, t } = usePage();
  const names = Object.keys(ask.questions);
  const [answers, setAnswers] = useState<Record<string, number>>(() => same(names, 0.5));
  return (
    <form
      class="questions"
      onSubmit={(event) => {
        event.preventDefault();
        page.answer(answers);
      }}
    >
      <h2>{t.ask.heading(ask.batch, ask.batches)}</h2>
      <p class="quiet">{t.ask.hint}</p>
      {names.map((name) => (
        <Question
          key={name}
          name={name}
          text={ask.questions[name]?.instructions ?? ""}
          value={answers[name] ?? 0.5}
          onChange={(value) => setAnswers({ ...answers, [name]: value })}
        />
      ))}
      <p class="pair-of-buttons">
        <button type="submit" class="primary">
          {t.ask.submit}
        </button>
        <button type="button" onClick={() => page.answer(same(names, 1))}>
          {t.ask.keep}
        </button>
        <button type="button" onClick={() => page.cancel()}>
          {t.ask.cancel}
        </button>
      </p>
    </form>
  );
}

function same(names: readonly string[], value: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

interface QuestionProps {
  name: string;
  text: string;
  value: number;
  onChange(value: number): void;
}

function Question({ name, text, value, onChange }: QuestionProps) {
  const { state } = usePage();
  const [, id] = name.split("_");
  const call = state.session?.calls.find((call) => call.id === id);
  return (
    <label class="question">
      <span class="quiet">
        {call?.id} <span class="tool-name">{call?.tool}</span> {call?.preview}
      </span>
      <span>{text}</span>
      <span class="answer">
        <input
          type="range"
          min={0}
          max={1}
          step={0.01}
          value={value}
          onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
        />
        <output>{value.toFixed(2)}</output>
      </span>
    </label>
  );
}
