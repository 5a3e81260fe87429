import { describe, expect, it } from 'vitest'
import { type TakenOver, type NumberThrottle, SEND_STATES, type SendState } from '../../../src/store/types/types.ts'
import {
  type Asked,
  type CodeOpening,
  isGoingOut,
  isSurelyNotSent,
  isHeld,
  type Opening,
  openingOf,
  openingOfCode,
  RESTORED,
  type SendStart,
  type StartConditions,
  startOf,
} from '../../../src/store/rules/sends.ts'

const ASHA = '255712000101'
const ASKED: Asked = { customer: ASHA, body: 'hello', askedDigest: undefined }
const SAME: Opening = { found: 'known', diverged: false, marks: false }
const DIVERGED: Opening = { found: 'known', diverged: true, marks: true }

describe('the rules of sends', () => {
  it.each(SEND_STATES)(
    'opens a send that is %s again only if surely nothing was sent [B IDEM-05, B IDEM-06]',
    (state) => {
      const mayReopen = ['refused', 'skipped', 'cancelled'].includes(state)
      expect(isSurelyNotSent(state)).toBe(mayReopen)
      expect(openingOf(ASKED, { ...ASKED, body: 'other', state })).toEqual(mayReopen ? { found: 'reopened' } : DIVERGED)
      expect(isGoingOut(state)).toBe(state === 'ready' || state === 'attempting')
    },
  )

  it.each<[string, Asked, (Asked & { state: SendState }) | undefined, Opening]>([
    ['records a new key', ASKED, undefined, { found: 'new' }],
    ['gives the recorded send back', ASKED, { ...ASKED, state: 'accepted' }, SAME],
    ['marks other bytes', { ...ASKED, body: 'other' }, { ...ASKED, state: 'unknown' }, DIVERGED],
    [
      'compares what the app asked for',
      { ...ASKED, askedDigest: 'a' },
      { ...ASKED, body: 'x', askedDigest: 'a', state: 'ready' },
      SAME,
    ],
    [
      'marks what the app asked for otherwise',
      { ...ASKED, askedDigest: 'b' },
      { ...ASKED, askedDigest: 'a', state: 'ready' },
      DIVERGED,
    ],
    [
      'sends nothing to another customer under the key, refused or not',
      { ...ASKED, customer: '255712000102' },
      { ...ASKED, state: 'refused' },
      { found: 'known', diverged: true, marks: false },
    ],
  ])('%s [B IDEM-06, F-75]', (_title, asked, known, opening) => {
    expect(openingOf(asked, known)).toEqual(opening)
  })

  const TAKEN: TakenOver = { by: 'agent', since: 10, until: 90 }
  const FREE: StartConditions = {
    cameBack: false,
    takenOver: undefined,
    unlessTakenAt: undefined,
    optedOut: false,
    marketingAt: undefined,
    dueAt: undefined,
    lastInboundAt: undefined,
    unread: false,
    needsInboundSince: undefined,
  }

  it.each<[string, Partial<StartConditions>, Partial<SendStart>]>([
    ['is ready', {}, { state: 'ready' }],
    ['waits for its time', { dueAt: 200 }, { state: 'scheduled' }],
    [
      'is skipped while somebody else has its customer',
      { takenOver: TAKEN, unlessTakenAt: 50 },
      { state: 'skipped', code: 'taken_over' },
    ],
    [
      'is refused, with what to do, if its window is surely closed',
      { lastInboundAt: 40, needsInboundSince: 40 },
      { state: 'refused', reason: expect.stringContaining('pass one as outsideWindow') as string },
    ],
    ['is ready if its window is open', { lastInboundAt: 41, needsInboundSince: 40 }, { state: 'ready' }],
    ['is ready if its window is not known', { needsInboundSince: 40 }, { state: 'ready' }],
    [
      'is ready if something waits unread',
      { lastInboundAt: 40, needsInboundSince: 40, unread: true },
      { state: 'ready' },
    ],
    ['is skipped, scheduled or not', { takenOver: TAKEN, unlessTakenAt: 50, dueAt: 200 }, { state: 'skipped' }],
    [
      'is skipped while a person has the customer',
      { takenOver: { ...TAKEN, by: 'person' }, unlessTakenAt: 50 },
      { state: 'skipped', code: 'taken_over' },
    ],
    ['goes out once the take-over is over', { takenOver: TAKEN, unlessTakenAt: 90 }, { state: 'ready' }],
    ['goes out if it is no reply', { takenOver: TAKEN }, { state: 'ready' }],
    [
      'is held if its delivery came back with a backup, whatever else',
      { cameBack: true, takenOver: TAKEN, unlessTakenAt: 50, dueAt: 200 },
      { state: 'held', ...RESTORED },
    ],
  ])('a recorded send %s [B GEN-07, B ERR-05, F-65]', (_title, facts, start) => {
    expect(startOf({ ...FREE, ...facts })).toMatchObject(start)
  })

  const STOPPED: NumberThrottle = { stopped: true, closedUntil: 90, inARow: 1, code: 'suspended', reason: 'correct it' }

  it('a stopped number holds a send that would go out, and no other; a pause holds none [B ERR-05]', () => {
    const holds = (throttle: NumberThrottle | undefined) =>
      SEND_STATES.filter((state) => isHeld({ state, withheld: false }, throttle))
    expect(holds(STOPPED)).toEqual(['ready'])
    expect(holds({ ...STOPPED, stopped: false })).toEqual([])
    expect(holds(undefined)).toEqual([])
    expect(isHeld({ state: 'ready', withheld: true }, STOPPED)).toBe(false)
  })

  const code = (state: SendState, customer = ASHA) => ({ id: `${state} code`, state, customer })

  it.each<[string, ReturnType<typeof code>[], CodeOpening]>([
    ['the first has the first key', [], { found: 'new', generation: 0 }],
    ['a refused one is followed by the next', [code('refused')], { found: 'new', generation: 1 }],
    ['so is one of unknown outcome', [code('refused'), code('unknown')], { found: 'new', generation: 2 }],
    ['so is a lost one', [code('lost_code')], { found: 'new', generation: 1 }],
    ['so is one that a person dropped', [code('dropped')], { found: 'new', generation: 1 }],
    ['after three none goes out', [code('refused'), code('refused'), code('refused')], { found: 'used_up' }],
    ['none beside one that waits', [code('ready')], { found: 'known', id: 'ready code' }],
    ['none beside one under way', [code('refused'), code('attempting')], { found: 'known', id: 'attempting code' }],
    ['none after one that was accepted', [code('accepted')], { found: 'known', id: 'accepted code' }],
    ['none for another customer', [code('refused', '255712000102')], { found: 'known', id: 'refused code' }],
  ])('one-time codes: %s [B OTP-06, B OTP-08]', (_title, earlier, opening) => {
    expect(openingOfCode(ASHA, earlier, 3)).toEqual(opening)
  })
})
