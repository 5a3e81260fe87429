import type { Played, Said } from './recording.ts'

/** How two versions of a bot differ on one delivery. */
export type Difference =
  /** A message says something else. */
  | { readonly kind: 'different'; readonly before: Said; readonly after: Said }
  /** A message that was not sent before. */
  | { readonly kind: 'new'; readonly after: Said }
  | { readonly kind: 'missing'; readonly before: Said }
  | { readonly kind: 'other_route'; readonly before: string | undefined; readonly after: string | undefined }
  /** The delivery failed, and did not before or by another error; `mended`: the other way round. */
  | { readonly kind: 'failed'; readonly outcome: Played['outcome']; readonly failure: Played['failure'] }
  | { readonly kind: 'mended'; readonly outcome: Played['outcome'] }

export const FAILED: readonly Played['outcome'][] = ['dead', 'parked', 'quarantined', 'retried', 'not_handled']

export function differencesOf(then: Played, now: Played): Difference[] {
  const found: Difference[] = []
  if (then.route !== now.route) found.push({ kind: 'other_route', before: then.route, after: now.route })
  const [failedThen, failsNow] = [FAILED.includes(then.outcome), FAILED.includes(now.outcome)]
  const otherwise = then.outcome !== now.outcome || then.failure?.error !== now.failure?.error
  if (failsNow && otherwise) found.push({ kind: 'failed', outcome: now.outcome, failure: now.failure })
  else if (failedThen && !failsNow) found.push({ kind: 'mended', outcome: now.outcome })
  return [...found, ...saidDifferently(then.said, now.said)]
}

/** Pairs the messages that are equal, in their order; of the others those to the same customer, one by one. */
function saidDifferently(then: readonly Said[], now: readonly Said[]): Difference[] {
  const [restThen, restNow] = withoutCommon(then, now)
  const found: Difference[] = []
  for (const before of restThen) {
    const at = restNow.findIndex(({ to }) => to === before.to)
    const [after] = at < 0 ? [] : restNow.splice(at, 1)
    found.push(after ? { kind: 'different', before, after } : { kind: 'missing', before })
  }
  return [...found, ...restNow.map((after) => ({ kind: 'new', after }) as const)]
}

/** Both lists without their longest common subsequence. */
function withoutCommon(then: readonly Said[], now: readonly Said[]): [Said[], Said[]] {
  const [a, b] = [then.map(keyOf), now.map(keyOf)]
  /** The length of the longest common subsequence behind both places. */
  const lengths = a.map(() => b.map(() => 0))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[]
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  const rest: [Said[], Said[]] = [[], []]
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length)
    if (i < a.length && a[i] === b[j]) [i, j] = [i + 1, j + 1]
    else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) rest[0].push(then[i++] as Said)
    else rest[1].push(now[j++] as Said)
  return rest
}

/** All that a customer sees of a message, as one text. */
function keyOf({ to, kind, text, options, template, media, more, refused, fellBack }: Said): string {
  return JSON.stringify([to, kind, text, options, template, media, more, refused, fellBack])
}
