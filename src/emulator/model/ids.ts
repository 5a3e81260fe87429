import { encodeTime, incrementBase32 } from 'ulid'
import type { Random } from '../../base/clock.ts'

/** A small generator of well-spread numbers from one seed (mulberry32), for ids and rotations, not for secrets. */
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

/** The ids that the service assigns. With a seed they are the same in every run. */
export function createIds(random: Random) {
  let last = { time: -1, chance: '' }
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
    /** A ULID. All retries of a delivery share it. */
    delivery(now: number): string {
      const isLater = now > last.time
      last = { time: isLater ? now : last.time, chance: isLater ? ulidChance(random) : incrementBase32(last.chance) }
      return encodeTime(last.time) + last.chance
    },
  }
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

function ulidChance(random: Random): string {
  return Array.from({ length: 16 }, () => CROCKFORD[Math.floor(random() * CROCKFORD.length)]).join('')
}
