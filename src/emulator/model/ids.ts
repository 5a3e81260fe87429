import { monotonicFactory } from 'ulid'
import type { Random } from '../../base/clock.ts'

/** mulberry32: the same numbers for the same seed. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

export type Ids = ReturnType<typeof createIds>

export function createIds(random: Random) {
  const bytes = (count: number) => {
    const made = Buffer.allocUnsafe(count)
    for (let at = 0; at < count; at++) made[at] = Math.floor(random() * 256)
    return made
  }
  const prefixed = (prefix: string) => () => `${prefix}_${bytes(10).toString('hex')}`
  return {
    message: prefixed('msg'),
    upstream: () => `wamid.${bytes(21).toString('base64url')}`,
    event: prefixed('evt'),
    order: prefixed('ord'),
    template: prefixed('tpl'),
    subscription: prefixed('sub'),
    refused: prefixed('refused'),
    call: prefixed('call'),
    /** A ULID, made of the delivery's time. */
    delivery: monotonicFactory(random),
  }
}
