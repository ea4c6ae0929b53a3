/** Where a history can be pasted. */
import { useState } from "preact/hooks";
import { usePage } from "./page.js";

export function PasteField() {
  const { page, t } = usePage();
  const [text, setText] = useState("");
  const open = () => {
    void page.openOwn(t.source.pastedName, new Blob([text]));
    setText("");
  };
  return (
    <div class="more">
      <label>
        <span class="hidden">{t.paste.label}</span>
        <textarea
          class="code"
          rows={4}
          spellcheck={false}
          placeholder={t.paste.hint}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="button" disabled={text.trim() === ""} onClick={open}>
        {t.paste.open}
      </button>
    </div>
  );
}
