/** The user's originals in IndexedDB: written before anything else happens with them. */
import type { Settings } from "./formats/format.js";

/** What the list shows of an original. */
export interface ArchivedHead {
  id: number;
  name: string;
  time: number;
  bytes: number;
}

interface Archived extends ArchivedHead {
  source: Blob;
}

const NAME = "keepline";
const ORIGINALS = "originals";
/** Apart from the originals, so that a changed setting does not write 40 MB again. */
const SETTINGS = "settings";

function request<T>(made: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    made.onsuccess = () => resolve(made.result);
    made.onerror = () => reject(made.error);
  });
}

async function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(ORIGINALS, { keyPath: "id", autoIncrement: true });
    opening.result.createObjectStore(SETTINGS);
  };
  return request(opening);
}

/** Does something with the two stores and closes the database after it. */
async function within<T>(
  mode: IDBTransactionMode,
  task: (originals: IDBObjectStore, settings: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const database = await open();
  try {
    const transaction = database.transaction([ORIGINALS, SETTINGS], mode);
    return await task(transaction.objectStore(ORIGINALS), transaction.objectStore(SETTINGS));
  } finally {
    database.close();
  }
}

/** Keeps an original and gives its id. */
export function keep(name: string, source: Blob): Promise<number> {
  const original = { name, time: Date.now(), bytes: source.size, source };
  return within("readwrite", async (originals) => (await request(originals.add(original))) as number);
}

/** The originals, the newest first. */
export function list(): Promise<ArchivedHead[]> {
  return within("readonly", async (originals) => {
    const all = (await request(originals.getAll())) as Archived[];
    return all.map(({ source: _, ...head }) => head).reverse();
  });
}

/** An original with its text and the settings that were last used with it. */
export function get(id: number): Promise<{ name: string; source: Blob; settings?: Settings } | undefined> {
  return within("readonly", async (originals, settings) => {
    const [original, used] = await Promise.all([request(originals.get(id)), request(settings.get(id))]);
    return original && { ...(original as Archived), ...(used && { settings: used as Settings }) };
  });
}

/** Notes the settings that were used. */
export function note(id: number, used: Settings): Promise<void> {
  return within("readwrite", async (_, settings) => {
    await request(settings.put(used, id));
  });
}

/** Deletes an original and what was noted of it. */
export function remove(id: number): Promise<void> {
  return within("readwrite", async (originals, settings) => {
    await Promise.all([request(originals.delete(id)), request(settings.delete(id))]);
  });
}
