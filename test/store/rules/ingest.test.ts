import { describe, expect, it } from 'vitest'
import type { NewItem } from '../../../src/store/types/types.ts'
import { type ClaimOutcome, judgeClaim, type PlacedItem, placeItem } from '../../../src/store/rules/acceptance.ts'
import { item, named } from '../samples.ts'

const IDENTITY = { key: 'upstream:wamid.1', binding: 'asha|1' }

describe('the rules of ingest', () => {
  it.each<[ClaimOutcome, { binding: string } | undefined]>([
    ['free', undefined],
    ['same_message', { binding: IDENTITY.binding }],
    ['reused', { binding: 'another' }],
  ])('claims an identity once: %s after %j [R DEL-03]', (outcome, known) => {
    expect(judgeClaim(IDENTITY, known)).toBe(outcome)
  })

  it.each<[string, NewItem, ClaimOutcome | undefined, string | undefined, PlacedItem]>([
    [
      'a message with a free identity is its own cause',
      named(IDENTITY),
      'free',
      undefined,
      { state: 'stored', cause: IDENTITY.key, waits: true, outcome: undefined },
    ],
    [
      'the same message again does not wait',
      named(IDENTITY, { cause: { identity: IDENTITY.key, signed: 'signed' } }),
      'same_message',
      undefined,
      { state: 'same_message', cause: 'signed', waits: false, outcome: 'same_message' },
    ],
    [
      'another message under a used identity has the signed bytes as its cause',
      named(IDENTITY, { cause: { identity: IDENTITY.key, signed: 'signed' } }),
      'reused',
      undefined,
      { state: 'stored', cause: 'signed', waits: true, outcome: 'reused' },
    ],
    [
      'an event without identity too',
      item({ cause: { identity: undefined, signed: 'signed' } }),
      undefined,
      undefined,
      { state: 'stored', cause: 'signed', waits: true, outcome: undefined },
    ],
    [
      'an item that ran before it was parked keeps its cause, and so its replies',
      named(IDENTITY),
      'free',
      'earlier',
      { state: 'stored', cause: 'earlier', waits: true, outcome: undefined },
    ],
    [
      'a parked item does not wait',
      named(IDENTITY, { state: 'parked' }),
      'free',
      undefined,
      { state: 'parked', cause: IDENTITY.key, waits: false, outcome: undefined },
    ],
  ])('%s [R DEL-03]', (_title, given, claimed, ranCause, placed) => {
    expect(placeItem(given, claimed, ranCause === undefined ? undefined : { cause: ranCause })).toEqual(placed)
  })
})
