import { describe, expect, it } from 'vitest'
import { record, recordingOf } from '../../../src/pages/emulator/recorder/record.ts'
import type { Happening } from '../../../src/pages/emulator/wire/wire-types.ts'
import type { ThreadItem } from '../../../src/pages/emulator/wire/wire-types.ts'
import { readRecording } from '../../../src/emulator/recording/recording.ts'
import { ASHA, JUMA } from '../../support/people.ts'

const NINE = Date.parse('2026-03-04T09:00:00Z')
const HOUR = 3_600_000
const iso = (ms: number) => new Date(NINE + ms).toISOString()

/** Happenings in their order, a second apart, with ids like the emulator's. */
function timeline(...all: readonly object[]): Happening[] {
  return all.map((one, index) => ({ at: iso(index * 1_000), ...one, id: `run-${index + 1}` }) as Happening)
}

let count = 0
function thread(customer: string, more: Partial<ThreadItem>) {
  const usual = { id: `msg_${++count}`, direction: 'INBOUND', kind: 'text', text: null, content: null, status: null }
  return { kind: 'thread', customer, item: { ...usual, at: iso(count * 1_000), ...more } as ThreadItem }
}
const says = (text: string, customer = ASHA) => thread(customer, { text })
const replies = (text: string, more: Partial<ThreadItem> = {}, customer = ASHA) =>
  thread(customer, { direction: 'OUTBOUND', text, status: 'sent', ...more })
const offers = (id: string) =>
  replies('Which?', {
    kind: 'interactive',
    interactive: { type: 'buttons', body: 'Which?', buttons: [{ id, title: 'Track' }] },
  })
const taps = (id: string) =>
  thread(ASHA, { kind: 'interactive', text: 'Track', interactive: { type: 'button_reply', id, title: 'Track' } })
const clock = (movedMs: number) => ({ kind: 'clock', clock: { now: iso(movedMs + 60_000) }, movedMs })
const sent = thread(ASHA, { direction: 'OUTBOUND', text: '9 to 17', status: 'sent' })
const image = { kind: 'image', url: 'https://media.example/roof.jpg' }

const stepsOf = (all: readonly object[], more = {}) =>
  record(timeline(...all), { after: '', ...more }, new Map([['evt_1', { id: '7781' }]]))

describe('a recording of the page', () => {
  it.for<[string, readonly object[], readonly object[]]>([
    [
      'a message, with what came after it',
      [says('hours'), replies('9 to 17'), replies('Bye', {}, JUMA), says('no')],
      [
        {
          kind: 'text',
          customer: ASHA,
          text: 'hours',
          replies: [
            { to: ASHA, text: '9 to 17' },
            { to: JUMA, text: 'Bye' },
          ],
        },
        { kind: 'text', text: 'no', replies: [] },
      ],
    ],
    [
      'a new status, which is no new message',
      [says('hours'), sent, { ...sent, item: { ...sent.item, status: 'read' } }],
      [{ replies: [{ to: ASHA, text: '9 to 17' }] }],
    ],
    [
      'a tap by its title, or by its id if another option has the title now',
      [says('hi'), offers('old'), taps('old'), offers('new'), taps('old'), taps('new')],
      [
        { replies: [{ to: ASHA, kind: 'interactive', text: 'Which?', options: ['Track'] }] },
        { kind: 'tap', option: 'Track' },
        { kind: 'tap', option: 'old' },
        { kind: 'tap', option: 'Track' },
      ],
    ],
    ['a quick reply', [thread(ASHA, { kind: 'button', text: 'Yes' })], [{ kind: 'tap', option: 'Yes' }]],
    ['media', [thread(ASHA, { kind: 'image', media: image, number: '1098' })], [{ media: image, number: '1098' }]],
    [
      'a jump of the clock',
      [says('hi'), clock(25 * HOUR)],
      [{}, { kind: 'time', at: iso(60_000), by: '25h', replies: [] }],
    ],
    [
      'a refused send',
      [says('hi'), replies('no', { refused: { status: 409, code: 'outside_messaging_window', message: '' } })],
      [{ replies: [{ text: 'no', refused: 'outside_messaging_window' }] }],
    ],
    [
      'an event that does not follow from messages',
      [
        { kind: 'event', event: { id: 'evt_1', event: 'order.ready' } },
        { kind: 'event', event: { id: 'evt_2', event: 'message.status' } },
      ],
      [{ kind: 'delivery', event: 'order.ready', payload: { id: '7781' } }],
    ],
    ['nothing of the agent', [says('hi'), replies('I am the agent', { by: 'agent' })], [{ replies: [] }]],
    ['nothing before a reset', [says('before'), { kind: 'resync' }, says('after')], [{ text: 'after' }]],
  ])('has %s', ([, happened, steps]) => {
    const recorded = stepsOf(happened)
    expect(recorded).toMatchObject(steps)
    expect(recorded).toHaveLength(steps.length)
    expect(readRecording(recordingOf('', recorded, []))).toMatchObject({ name: 'a conversation', steps: recorded })
  })

  it('begins and ends as the user chooses, and knows earlier options', () => {
    const all = [says('hi'), offers('old'), offers('new'), taps('old'), says('after')]
    expect(stepsOf(all, { after: 'run-3', until: 'run-4' })).toMatchObject([{ kind: 'tap', option: 'old' }])
  })

  it('contains the templates that were sent', () => {
    const template = { name: 'ready', language: 'sw', body: ['7781'], components: [] }
    const steps = stepsOf([says('hi'), replies('Oda 7781', { kind: 'template', template })])
    const body = { type: 'BODY', text: 'Oda {{1}}' }
    const listed = { name: 'ready', language: 'sw', category: 'UTILITY', components: [body] } as const
    const others = { ...listed, name: 'other' }
    expect(recordingOf('ready', steps, [others, listed] as never).templates).toEqual([
      { name: 'ready', language: 'sw', body: 'Oda {{1}}' },
    ])
  })
})
