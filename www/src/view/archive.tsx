/** The originals that this browser keeps. */
import { usePage } from "./page.js";

export function Archive() {
  const { page, state, t } = usePage();
  const { originals } = state;
  const when = new Intl.DateTimeFormat(state.language, { dateStyle: "short", timeStyle: "short" });
  return (
    <section class="card archive">
      <h2>{t.archive.heading}</h2>
      {state.isArchiveRefused ? (
        <p class="warn">{t.archive.refused}</p>
      ) : (
        <p class="quiet">{originals.length === 0 ? t.archive.none : t.archive.hint}</p>
      )}
      <ul class="originals">
        {originals.map(({ id, name, time, bytes }) => (
          <li key={id}>
            <button type="button" class="plain" onClick={() => page.openArchived(id)}>
              <span class="tool-name">
                <span class="hidden">{t.archive.open} </span>
                {name}
              </span>
              <span class="quiet">
                {when.format(time)} · {sizeOf(bytes)}
              </span>
            </button>
            <button
              type="button"
              class="small"
              aria-label={t.archive.remove(name)}
              onClick={() => page.deleteArchived(id)}
            >
              {t.archive.delete}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
