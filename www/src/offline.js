/**
 * The service worker: keeps the files of one build and answers from them; the build fills in the list. The page itself comes
 * from the network where there is one, so that a new build shows at once. Its files have names of their own, and an old page
 * that is still open keeps the old ones: this worker takes over only when no such page is left.
 */
const FILES = ["FILES"];
const NAME = `keepline-${FILES.join()}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("keepline-") && name !== NAME);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

async function answer(request) {
  const cache = await caches.open(NAME);
  if (request.mode === "navigate") return fetch(request).catch(() => cache.match("./"));
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin)
    event.respondWith(answer(request));
});
