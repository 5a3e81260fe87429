import { monotonicFactory } from 'ulid'
import type { Random } from '../base/clock.ts'

/** The ids that the service hands out. With a seed they are the same in every run. */
export interface Ids {
  message(): string
  upstream(): string
  event(): string
  template(): string
  subscription(): string
  refused(): string
  /** A ULID: stable over the retries of one delivery. */
  delivery(now: number): string
}

/** A small generator of well-spread numbers from one seed (mulberry32); for ids and turns, not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

export function createIds(random: Random): Ids {
  const ulid = monotonicFactory(random)
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))
  const named = (prefix: string) => () => `${prefix}_${bytes(10).toString('hex')}`
  return {
    message: named('msg'),
    upstream: () => `wamid.${bytes(21).toString('base64url')}`,
    event: named('evt'),
    template: named('tpl'),
    subscription: named('sub'),
    refused: named('refused'),
    delivery: (now) => ulid(now),
  }
}
