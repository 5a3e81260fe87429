import { describe, expect, it } from 'vitest'
import { playFileName, templatesFor, toPlayFile } from '../../src/page/recorder/play-file.ts'
import { record, startBefore } from '../../src/page/recorder/record.ts'
import { toDuration } from '../../src/ui/text/time.ts'
import type { Happening } from '../../src/page/wire/happenings.ts'
import type { ThreadItem } from '../../src/page/wire/types.ts'
import { readPlayFile } from '../../src/testing/play/play.ts'

const ASHA = '255712000101'
const JUMA = '255712000102'
const HOUR = 3_600_000

/** Happenings in their order, with ids like the emulator's. */
function timeline(...all: object[]): Happening[] {
  return all.map((one, index) => ({ at: '2026-03-04T09:00:00.000Z', ...one, id: `run-${index + 1}` }) as Happening)
}

let count = 0
function item(more: Partial<ThreadItem>): ThreadItem {
  count++
  const usual = {
    direction: 'INBOUND',
    kind: 'text',
    text: null,
    content: null,
    status: null,
    at: '2026-03-04T09:00:00.000Z',
  } as const
  return { ...usual, id: `msg_${count}`, ...more }
}

const thread = (customer: string, it: ThreadItem) => ({ kind: 'thread', customer, item: it })
const says = (text: string, customer = ASHA) => thread(customer, item({ text }))
const replies = (text: string, more: Partial<ThreadItem> = {}, customer = ASHA) =>
  thread(customer, item({ direction: 'OUTBOUND', text, status: 'sent', ...more }))
const clock = (offsetMs: number) => ({ kind: 'clock', clock: { now: '', offsetMs } })

const stepsOf = (happenings: Happening[], more: object = {}) =>
  record({ happenings, after: '', ...more }).steps.map(({ step }) => step)

describe('a recording', () => {
  it("begins a step with a customer's message, and expects what came to the phone after it", () => {
    const steps = stepsOf(timeline(says('hours'), replies('9 to 17'), replies('Anything else?'), says('no')))
    expect(steps).toEqual([
      {
        customer: ASHA,
        says: 'hours',
        expect: [
          { to: ASHA, text: '9 to 17' },
          { to: ASHA, text: 'Anything else?' },
        ],
      },
      { customer: ASHA, says: 'no', expect: [] },
    ])
  })

  it('makes one step of what is written in a row, with nothing in between and within 5 s', () => {
    const at = (seconds: number, more: Partial<ThreadItem> = {}, customer = ASHA) =>
      thread(customer, item({ text: `after ${seconds}`, at: new Date(seconds * 1000).toISOString(), ...more }))
    const photo = { kind: 'image', url: 'https://media.example/roof.jpg' }
    const tap = {
      kind: 'interactive',
      text: 'Yes',
      interactive: { type: 'button_reply', id: 'y', title: 'Yes' },
    } as const
    const steps = stepsOf(
      timeline(
        at(0),
        at(4),
        at(9, { kind: 'image', media: photo }),
        at(15),
        replies('Got it'),
        at(16),
        at(17, tap),
        at(18),
        at(19, {}, JUMA),
      ),
    )
    expect(steps).toEqual([
      { customer: ASHA, writes: [{ says: 'after 0' }, { says: 'after 4' }, { sends: photo }], expect: [] },
      { customer: ASHA, says: 'after 15', expect: [{ to: ASHA, text: 'Got it' }] },
      { customer: ASHA, says: 'after 16', expect: [] },
      { customer: ASHA, taps: 'Yes', expect: [] },
      { customer: ASHA, says: 'after 18', expect: [] },
      { customer: JUMA, says: 'after 19', expect: [] },
    ])
    expect(readPlayFile(toPlayFile('in a row', steps, []))).toMatchObject({ steps })
  })

  it('does not take a new status for a new message', () => {
    const sent = item({ direction: 'OUTBOUND', text: '9 to 17', status: 'sent' })
    const happened = timeline(
      says('hours'),
      thread(ASHA, sent),
      thread(ASHA, { ...sent, status: 'delivered' }),
      thread(ASHA, { ...sent, status: 'read' }),
    )
    expect(stepsOf(happened)).toEqual([{ customer: ASHA, says: 'hours', expect: [{ to: ASHA, text: '9 to 17' }] }])
  })

  it('taps by the title, or by the id if the newest option with that title is another one', () => {
    const offer = (id: string) =>
      replies('Which?', {
        kind: 'interactive',
        interactive: { type: 'buttons', body: 'Which?', buttons: [{ id, title: 'Track' }] },
      })
    const tap = (id: string) =>
      thread(
        ASHA,
        item({ kind: 'interactive', text: 'Track', interactive: { type: 'button_reply', id, title: 'Track' } }),
      )
    const steps = stepsOf(timeline(says('hi'), offer('old'), tap('old'), offer('new'), tap('old'), tap('new')))
    expect(steps.flatMap((step) => ('taps' in step ? [step.taps] : []))).toEqual(['Track', 'old', 'Track'])
    expect(steps[0]?.expect).toEqual([{ to: ASHA, kind: 'interactive', text: 'Which?', options: ['Track'] }])
  })

  it('taps the quick reply of a template by its text', () => {
    const steps = stepsOf(timeline(thread(ASHA, item({ kind: 'button', text: 'Yes, please' }))))
    expect(steps).toEqual([{ customer: ASHA, taps: 'Yes, please', expect: [] }])
  })

  it('sends the same media to the same number', () => {
    const media = { kind: 'image', url: 'https://media.example/roof.jpg', caption: 'The roof' }
    const steps = stepsOf(
      timeline(thread(ASHA, item({ kind: 'image', text: 'The roof', media, number: '109871234500012' }))),
    )
    expect(steps).toEqual([{ customer: ASHA, number: '109871234500012', sends: media, expect: [] }])
  })

  it('makes a step of a jump of the clock, and one step of several jumps with nothing between them', () => {
    const steps = stepsOf(timeline(says('hi'), clock(24 * HOUR), clock(25 * HOUR), says('again'), clock(26 * HOUR)))
    expect(steps.flatMap((step) => ('advance' in step ? [step.advance] : []))).toEqual(['25h', '1h'])
  })

  it("measures a jump from the clock's offset before it, even before the recording", () => {
    const happened = timeline(clock(24 * HOUR), says('hi'), clock(25 * HOUR))
    expect(stepsOf(happened, { after: 'run-1' }).at(-1)).toEqual({ advance: '1h', expect: [] })
    expect(stepsOf(timeline(clock(25 * HOUR)), { offsetMs: 24 * HOUR })).toEqual([{ advance: '1h', expect: [] }])
  })

  it('expects the refusal of a refused send, by its code or else its status [SEND-20]', () => {
    const refused = (status: number, code: string | null) =>
      replies('Ready', { status: null, refused: { status, code, message: 'No.' } })
    const steps = stepsOf(timeline(clock(25 * HOUR), refused(409, 'outside_messaging_window'), refused(422, null)))
    expect(steps).toEqual([
      {
        advance: '25h',
        expect: [
          { to: ASHA, text: 'Ready', refused: 'outside_messaging_window' },
          { to: ASHA, text: 'Ready', refused: '422' },
        ],
      },
    ])
  })

  it('names the templates that came, with their parameters', () => {
    const template = { name: 'order_ready', language: 'sw', body: ['7781'], components: [] }
    const happened = timeline(clock(25 * HOUR), replies('Oda 7781 iko tayari', { kind: 'template', template }))
    const { steps, templates } = record({ happenings: happened, after: '' })
    expect(steps[0]?.step.expect).toEqual([
      { to: ASHA, text: 'Oda 7781 iko tayari', template: { name: 'order_ready', language: 'sw', body: ['7781'] } },
    ])
    expect(templates).toEqual(['order_ready sw'])
  })

  it('leaves out the messages of the agent and of people, and notes that once', () => {
    const happened = timeline(says('hi'), replies('I am an agent', { by: 'agent' }), replies('Me too', { by: 'agent' }))
    const { steps, notes } = record({ happenings: happened, after: '' })
    expect(steps[0]?.step.expect).toEqual([])
    expect(notes).toEqual(["The AI agent's messages are left out: in a test there is none."])
  })

  it('goes from its start to its end, and keeps the customers apart', () => {
    const happened = timeline(
      says('before'),
      says('hi'),
      replies('Hello'),
      replies('For Juma', {}, JUMA),
      says('after'),
    )
    expect(stepsOf(happened, { after: 'run-1', until: 'run-4' })).toEqual([
      {
        customer: ASHA,
        says: 'hi',
        expect: [
          { to: ASHA, text: 'Hello' },
          { to: JUMA, text: 'For Juma' },
        ],
      },
    ])
  })

  it('makes a step of an event that does not follow from messages, or that was fired by hand', () => {
    const event = (id: string, name: string) => ({ kind: 'event', event: { id, event: name, customer: ASHA } })
    const fired = { kind: 'control', method: 'POST', path: '/_emulator/events', status: 200 }
    const happened = timeline(
      says('hi'),
      event('evt_1', 'message.received'),
      event('evt_2', 'order.paid'),
      event('evt_3', 'message.status'),
      fired,
      event('evt_4', 'order.rated'),
    )
    const payloads = new Map<string, unknown>([
      ['evt_1', { text: 'hi' }],
      ['evt_2', { order_id: 'ord_1' }],
      ['evt_3', { status: 'read' }],
      ['evt_4', 'no object'],
    ])
    const { steps, notes } = record({ happenings: happened, after: '', payloads })
    expect(steps.slice(1).map(({ step }) => step)).toEqual([
      { event: 'order.paid', payload: { order_id: 'ord_1' }, expect: [] },
      { event: 'message.status', payload: { status: 'read' }, expect: [] },
    ])
    expect(notes).toEqual(['The event order.rated is left out: what it said is not known, or no JSON object.'])
  })

  it('notes what it leaves out: a clock set back, a reset, a start that is gone', () => {
    expect(record({ happenings: timeline(clock(HOUR), clock(0)), after: '' }).notes).toHaveLength(1)
    const reset = record({ happenings: timeline(says('hi'), { kind: 'resync' }, says('anew')), after: '' })
    expect(reset.steps.map(({ step }) => step)).toEqual([{ customer: ASHA, says: 'anew', expect: [] }])
    expect(reset.notes).toHaveLength(1)
    const first = item({ text: 'hi' })
    const sameId = record({
      happenings: timeline(thread(ASHA, first), { kind: 'resync' }, thread(ASHA, { ...first, text: 'anew' })),
      after: '',
    })
    expect(sameId.steps.map(({ step }) => step)).toEqual([{ customer: ASHA, says: 'anew', expect: [] }])
    const gone = record({ happenings: timeline(says('hi')), after: 'earlier-7' })
    expect(gone).toMatchObject({ steps: [], notes: [expect.stringContaining('does not reach back')] })
  })

  it('is a file that can be played, whatever happened', () => {
    const media = { kind: 'document', url: 'https://media.example/a.pdf', filename: 'a.pdf' }
    const steps = stepsOf(
      timeline(
        says('hi'),
        replies('Hello'),
        thread(ASHA, item({ kind: 'document', media })),
        clock(90_500),
        clock(90_750),
      ),
    )
    const file = toPlayFile('', steps, [])
    expect(readPlayFile(JSON.parse(JSON.stringify(file)))).toEqual(file)
  })
})

describe('a recording that starts at an earlier message', () => {
  const first = item({ text: 'hi' })
  const reply = item({ direction: 'OUTBOUND', text: 'Hello', status: 'sent' })
  const other = item({ text: 'hi too' })
  const template = item({ direction: 'OUTBOUND', text: 'Ready', status: 'sent' })
  const happened = timeline(
    thread(ASHA, first),
    thread(JUMA, other),
    thread(ASHA, reply),
    thread(ASHA, { ...reply, status: 'read' }),
    clock(25 * HOUR),
    thread(ASHA, template),
  )

  it("begins before a customer's message, or before the message that led to one of the app", () => {
    expect(startBefore(happened, first.id)).toBe('')
    expect(startBefore(happened, reply.id)).toBe('')
    expect(startBefore(happened, other.id)).toBe('run-1')
    expect(startBefore(happened, template.id)).toBe('run-4')
  })

  it('does not begin if the timeline lacks the message, or the message that led to it', () => {
    expect(startBefore(happened, 'msg_unknown')).toBeUndefined()
    expect(startBefore(happened.slice(2, 4), reply.id)).toBeUndefined()
  })
})

describe('the file of a recording', () => {
  it('contains the templates that came, as a test defines them', () => {
    const listed = (name: string, category: string, text: string) => ({
      id: name,
      name,
      language: 'sw',
      category,
      status: 'APPROVED',
      sendable: true,
      unsendable_reason: null,
      components: [{ type: 'HEADER' }, { type: 'BODY', text }],
    })
    const all = [
      listed('ready', 'UTILITY', 'Tayari {{1}}'),
      listed('code', 'AUTHENTICATION', '{{1}}'),
      listed('other', 'UTILITY', 'x'),
    ]
    expect(templatesFor(['ready sw', 'code sw', 'ready en'], all)).toEqual([
      { name: 'ready', language: 'sw', body: 'Tayari {{1}}' },
      { name: 'code', language: 'sw', category: 'AUTHENTICATION' },
    ])
  })

  it('is named after the conversation', () => {
    expect(playFileName('Asks for hours, twice!')).toBe('asks-for-hours-twice.json')
    expect(playFileName('…')).toBe('conversation.json')
  })
})

it.each([
  [25 * HOUR, '25h'],
  [90 * 60_000, '90m'],
  [86_398_765, '86398s'],
  [1_500, '1500ms'],
  [2_000, '2s'],
])('%i ms is %s', (ms, words) => {
  expect(toDuration(ms)).toBe(words)
})
