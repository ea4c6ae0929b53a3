/** Code points, as keepline counts. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at + 1 < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** An input on one line: what a JSON object holds, without its brackets and quotes. */
export function inputPreview(input: string): string {
  try {
    const entries = Object.entries(JSON.parse(input) as object);
    const said = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
    const parts = entries.map(([name, value]) => (entries.length === 1 ? said(value) : `${name}: ${said(value)}`));
    return previewOf(parts.join(", "), 120);
  } catch {
    return previewOf(input, 120);
  }
}

/** The first characters of a text on one line. */
export function previewOf(text: string, length = 160): string {
  return text
    .slice(0, length * 2)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, length);
}
