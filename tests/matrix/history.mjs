/** A history for the snippets of the documentation, which call it the reader's own. */

const read = (id, output) => ({
  role: "assistant",
  content: [
    { type: "tool_call", id, name: "read_log", input: `{"path":"logs/${id}.log"}`, state: "finished" },
    { type: "tool_result", id, name: "read_log", output, state: "success" },
    { type: "text", text: `${id} is clean.` },
  ],
});

export const history = [
  { role: "user", content: "Look through the logs of the payment service for E1042." },
  ...[1, 2, 3, 4].map((number) =>
    read(`payment-${number}`, `2026-03-0${number} 10:00:00 GET /health 200\n`.repeat(60)),
  ),
  { role: "user", content: "Good, that has ended. Now something else: write a haiku about São Paulo in the rain." },
  ...[5, 6, 7, 8, 9, 10].map((number) => read(`weather-${number}`, `rain ${number} mm over São Paulo\n`.repeat(40))),
];
