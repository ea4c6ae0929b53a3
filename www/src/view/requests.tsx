/** The exact requests, with what was hidden marked. */
import { useEffect, useState } from "preact/hooks";
import type { RequestView } from "../worker/protocol.js";
import { usePage } from "./page.js";
import { TextBox } from "./text.js";

const HIDDEN = "[redacted]";

export function Requests() {
  const { page, state, t } = usePage();
  const [requests, setRequests] = useState<RequestView[]>();
  const [problem, setProblem] = useState("");
  const { settings, kind, endpoint } = state;
  useEffect(() => {
    let isCurrent = true;
    const take = (requests: RequestView[]) => {
      if (!isCurrent) return;
      setRequests(requests);
      setProblem("");
    };
    page.inspect().then(take, (thrown: Error) => isCurrent && setProblem(thrown.message));
    return () => {
      isCurrent = false;
    };
  }, [settings, kind, endpoint.model, endpoint.maxQuestions]);
  if (problem) return <p class="warn">{problem}</p>;
  if (!requests) return <p class="quiet">{t.requests.loading}</p>;
  if (requests.length === 0) return <p class="quiet">{t.requests.none}</p>;
  return (
    <div class="requests">
      <p>{kind === "local" ? t.requests.local : t.requests.remote}</p>
      {requests.map((request) => (
        <Request request={request} key={request.batch} />
      ))}
    </div>
  );
}

function Request({ request }: { request: RequestView }) {
  const { t } = usePage();
  const [isOpen, setOpen] = useState(request.batch === 0);
  const { batch, batches, questions, body } = request;
  const parts = body.split(HIDDEN);
  const title = t.requests.request(batch, batches, questions);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}{" "}
        <span class="quiet">
          ({t.characters(body.length)}; {t.requests.redacted(parts.length - 1)})
        </span>
      </summary>
      {isOpen && (
        <TextBox label={title} kind="tall">
          {parts.map((part, index) => (index === 0 ? part : [<mark key={index}>{HIDDEN}</mark>, part]))}
        </TextBox>
      )}
    </details>
  );
}
