/** The sample sessions of the tests, in both languages, and the answers of a scripted model to them. */
import paymentAnswers from "../../tests/fixtures/scenarios/payment-retry/expected.json?url";
import payment from "../../tests/fixtures/scenarios/payment-retry/request.json?url";
import paymentZh from "../../tests/fixtures/scenarios/payment-retry-zh/request.json?url";
import replicationAnswers from "../../tests/fixtures/scenarios/replication-lag/expected.json?url";
import replication from "../../tests/fixtures/scenarios/replication-lag/request.json?url";
import replicationZh from "../../tests/fixtures/scenarios/replication-lag-zh/request.json?url";
import type { Language } from "./texts/texts.js";

interface Sample {
  request: Record<Language, string>;
  /** Answers go by call id, which both languages share. */
  answers: string;
}

/** By name; the first one is loaded when the page opens. */
export const samples: Readonly<Record<string, Sample>> = {
  "payment-retry": { request: { en: payment, zh: paymentZh }, answers: paymentAnswers },
  "replication-lag": { request: { en: replication, zh: replicationZh }, answers: replicationAnswers },
};

export const firstSample = "payment-retry";

async function fetched(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}

/** The session as a file. */
export async function sampleFile(name: string, language: Language): Promise<Blob> {
  const { request } = samples[name] ?? (samples[firstSample] as Sample);
  return (await fetched(request[language])).blob();
}

/** The answers as a script. */
export async function sampleScript(name: string): Promise<string> {
  const { answers } = samples[name] ?? (samples[firstSample] as Sample);
  const expected = (await (await fetched(answers)).json()) as {
    answers: Record<string, { call: number; result: number }>;
  };
  return Object.entries(expected.answers)
    .map(([id, { call, result }]) => `${id} ${call} ${result}`)
    .join("\n");
}
