/** The token estimate of the contract, written from its definition and not from the code. */
export function estimate(json: string): number {
  let half = 0;
  for (const [run] of json.matchAll(/[A-Za-z]+|[0-9]+|\p{White_Space}+|[\s\S]/gu)) {
    if (/^[A-Za-z]/.test(run)) half += 2 * (1 + Math.floor((run.length - 1) / 6));
    else if (/^[0-9]/.test(run)) half += run.length;
    else if (!/^\p{White_Space}/u.test(run)) half += 2;
  }
  return Math.ceil(half / 2);
}
