/** The user's originals in IndexedDB: written before anything else happens with them. */
import type { Settings } from "./formats/format.js";

/** What the list shows of an original. */
export interface ArchivedHead {
  id: number;
  name: string;
  time: number;
  bytes: number;
  /** The settings that were last used with it. */
  settings?: Settings;
}

interface Archived extends ArchivedHead {
  source: Blob;
}

const NAME = "keepline";
const STORE = "originals";

function request<T>(made: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    made.onsuccess = () => resolve(made.result);
    made.onerror = () => reject(made.error);
  });
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
  const database = await request(opening);
  const transaction = database.transaction(STORE, mode);
  transaction.oncomplete = () => database.close();
  return transaction.objectStore(STORE);
}

/** Keeps an original and gives its id. */
export async function keep(name: string, source: Blob): Promise<number> {
  const added = await request((await store("readwrite")).add({ name, time: Date.now(), bytes: source.size, source }));
  return added as number;
}

/** The originals, the newest first. */
export async function list(): Promise<ArchivedHead[]> {
  const all = (await request((await store("readonly")).getAll())) as Archived[];
  return all.map(({ source: _, ...head }) => head).reverse();
}

/** An original with its text. */
export async function get(id: number): Promise<{ name: string; source: Blob; settings?: Settings } | undefined> {
  return request((await store("readonly")).get(id)) as Promise<Archived | undefined>;
}

/** Notes the settings that were used. */
export async function note(id: number, settings: Settings): Promise<void> {
  const originals = await store("readwrite");
  const known = (await request(originals.get(id))) as Archived | undefined;
  if (known) await request(originals.put({ ...known, settings }));
}

/** Deletes an original. */
export async function remove(id: number): Promise<void> {
  await request((await store("readwrite")).delete(id));
}
