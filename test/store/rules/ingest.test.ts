import { describe, expect, it } from 'vitest'
import type { Ingested, NewItem } from '../../../src/store/types/types.ts'
import {
  type ClaimOutcome,
  type IngestPlan,
  isRenderedAnew,
  judgeClaim,
  type PlacedItem,
  placeItem,
  planIngest,
} from '../../../src/store/rules/acceptance.ts'
import { item, named } from '../samples.ts'

const IDENTITY = { key: 'upstream:wamid.1', binding: 'asha|1' }

describe('the rules of ingest', () => {
  it.each<[IngestPlan, Ingested['state'], { hasItems: boolean }]>([
    ['insert', 'ingested', { hasItems: false }],
    ['rest', 'ignored', { hasItems: false }],
    ['rest', 'quarantined', { hasItems: false }],
    ['compare', 'conflict', { hasItems: false }],
    ['insert', 'ingested', { hasItems: true }],
    ['keep', 'ignored', { hasItems: true }],
    ['keep', 'quarantined', { hasItems: true }],
  ])('%s: a delivery read as %s, %j', (plan, read, facts) => {
    expect(planIngest(read, facts)).toBe(plan)
  })

  it.each<[boolean, boolean[]]>([
    [true, [true]],
    [true, [true, true]],
    [false, [true, false]],
    [false, [false]],
    [false, []],
  ])('takes a conflict for the same message in other bytes: %j if claimed %j [R SIG-07, F-26]', (again, claimed) => {
    expect(isRenderedAnew(claimed)).toBe(again)
  })

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
