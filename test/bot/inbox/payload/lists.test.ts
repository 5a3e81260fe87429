import { describe, expect, it } from 'vitest'
import type { View } from '../../../../src/bot/inbox/payload/facts.ts'
import type { BotOptions } from '../../../../src/bot/switchhook.ts'
import { happens } from '../../../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../../../support/virtual-world.ts'
import { message, received, viewOf, views } from './reading.ts'

const said = (all: readonly View[]) => all.map(({ facts }) => [facts.customer?.value, facts.text?.value])
const BOTH = [
  [ASHA, 'Moja'],
  [JUMA, 'Mbili'],
]
const entry = (msisdn: string, words: string, ref: string) => ({ sender: { msisdn }, content: { words, ref } })
const entries = [entry(ASHA, 'Moja', 'z-1'), entry(JUMA, 'Mbili', 'z-2')]

const NAMES = `messages events updates notifications entry items results records batch list inbound incoming payloads
  deliveries message_list msgs data Ujumbe`.split(/\s+/)

/** The mapping of a message in a list of any name. */
const at = (list: string) => ({
  customer: `${list}[0].sender.msisdn`,
  text: `${list}[0].content.words`,
  messageId: `${list}[0].content.ref`,
})

describe('a list of messages', () => {
  it.each(NAMES)('is the one that the mapping names, whatever its name: %s [R EVT-02]', (name) => {
    for (const body of [{ [name]: entries }, { envelope: { [name]: entries } }]) {
      const list = 'envelope' in body ? `envelope.${name}` : name
      const all = views('message.received', body, { mapping: at(list) })
      expect(said(all), JSON.stringify(body)).toEqual(BOTH)
      expect(all.map(({ facts }) => facts.messageId)).toMatchObject([{ value: 'z-1' }, { value: 'z-2' }])
    }
  })

  it('may be nested, and its elements may share whose they are [R EVT-02]', () => {
    const nested = [{ changes: [{ value: entries[0] }] }, { changes: [{ value: entries[1] }, { value: entries[0] }] }]
    const mapping = at('entry[0].changes')
    const inner = Object.fromEntries(
      Object.entries(mapping).map(([fact, path]) => [fact, path.replace('changes[0]', 'changes[0].value')]),
    )
    expect(said(views('message.received', { entry: nested }, { mapping: inner }))).toEqual([...BOTH, BOTH[0]])
    const groups = [
      { who: ASHA, said: [{ words: 'a' }, { words: 'b' }] },
      { who: JUMA, said: [{ words: 'c' }] },
    ]
    const shared = { customer: 'groups[0].who', text: 'groups[0].said[0].words' }
    expect(said(views('message.received', { groups }, { mapping: shared }))).toEqual([
      [ASHA, 'a'],
      [ASHA, 'b'],
      [JUMA, 'c'],
    ])
  })

  it('is found for statuses too [R EVT-02]', () => {
    const reports = ['delivered', 'read'].map((state, i) => ({ ref: `z-${i}`, state, to: ASHA }))
    const mapping = { customer: 'reports[0].to', messageId: 'reports[0].ref', status: 'reports[0].state' }
    const all = views('message.status', { reports }, { mapping })
    expect(all.map(({ facts }) => [facts.messageId?.value, facts.status?.value])).toEqual([
      ['z-0', 'delivered'],
      ['z-1', 'read'],
    ])
  })

  it('is found if functions read the messages [R EVT-02]', () => {
    type Body = { inbound: typeof entries }
    const mapping = {
      customer: (json: unknown) => (json as Body).inbound[0]?.sender.msisdn,
      text: (json: unknown) => (json as Body).inbound[0]?.content.words,
    }
    expect(said(views('message.received', { inbound: entries }, { mapping }))).toEqual(BOTH)
  })

  it('is found if functions return something else than what stands there [R EVT-02]', () => {
    const inbound = [ASHA, JUMA].map((from, i) => ({
      from: ` ${from}`,
      said: btoa(i === 0 ? 'Moja' : 'Mbili'),
      ref: i,
    }))
    type Body = { inbound: typeof inbound }
    const one = (json: unknown) => (json as Body).inbound[0]
    const text = (json: unknown) => atob(one(json)?.said ?? '')
    const customer = (json: unknown) => one(json)?.from.trim()
    expect(said(views('message.received', { inbound }, { mapping: { customer, text } }))).toEqual(BOTH)
    expect(said(views('message.received', { who: ASHA, inbound }, { mapping: { customer: 'who', text } }))).toEqual([
      BOTH[0],
      [ASHA, 'Mbili'],
    ])
    expect(said(views('message.received', { inbound }, { mapping: { customer } }))).toEqual([
      [ASHA, undefined],
      [JUMA, undefined],
    ])
    const batches = [{ inbound }, { inbound: [inbound[0]] }]
    const nested = { text: (json: unknown) => text((json as { batches: Body[] }).batches[0]), customer: 'who' }
    expect(said(views('message.received', { who: ASHA, batches }, { mapping: nested }))).toEqual([
      [ASHA, 'Moja'],
      [ASHA, 'Mbili'],
      [ASHA, 'Moja'],
    ])
    const status = (json: unknown) => one(json)?.said.toLowerCase()
    const messageId = (json: unknown) => `z-${one(json)?.ref}`
    const all = views('message.status', { inbound }, { mapping: { customer, status, messageId } })
    expect(all.map(({ facts }) => facts.messageId?.value)).toEqual(['z-0', 'z-1'])
  })

  it('is no list that a function searches, joins, or finds the same words in [R EVT-02]', () => {
    const fields = [
      { name: 'ref', value: 'z-1' },
      { name: 'from', value: ASHA },
      { name: 'say', value: 'Moja' },
    ]
    const field = (name: string) => (json: unknown) =>
      (json as { fields: typeof fields }).fields.find((each) => each.name === name)!.value
    const searched = { customer: field('from'), text: field('say'), messageId: field('ref') }
    expect(said(views('message.received', { fields }, { mapping: searched }))).toEqual([BOTH[0]])
    const joined = (json: unknown) => (json as { items: { name: string }[] }).items.map(({ name }) => name).join(' ')
    const items = [{ name: 'Moja' }, { name: 'Mbili' }]
    const order = { who: ASHA, items, messages: [message().data, message().data] }
    expect(said(views('message.received', order, { mapping: { customer: 'who', text: joined } }))).toEqual([
      [ASHA, 'Moja Mbili'],
    ])
    const text = (json: unknown) => (json as { inbound: { say: string }[] }).inbound[0]?.say
    const same = { who: ASHA, items, inbound: [{ say: 'Moja' }] }
    expect(said(views('message.received', same, { mapping: { customer: 'who', text } }))).toEqual([BOTH[0]])
  })

  it('may have a message without a text, whose tap or file is mapped in it, or whose text is elsewhere [R EVT-02]', () => {
    const mapping = {
      customer: 'who',
      text: ['inbound[0].say', 'inbound[0].below'],
      'media.url': 'inbound[0].picture.at',
      'tapped.id': 'inbound[0].tap',
    }
    const [picture, tap] = [{ picture: { at: 'https://media.example/1' } }, { tap: 'menu' }]
    for (const inbound of [
      [{ say: 'Moja' }, picture, tap, { below: 'Mbili' }],
      [picture, picture],
      [tap, tap],
    ]) {
      const all = views('message.received', { who: ASHA, inbound }, { mapping })
      expect(all, JSON.stringify(inbound)).toHaveLength(inbound.length)
      for (const [i, { facts }] of all.entries()) {
        expect(facts.text?.value).toBe(Object.values(inbound[i] ?? {}).find((one) => String(one).startsWith('M')))
        expect(facts.customer?.value).toBe(ASHA)
      }
    }
  })

  it('parks the delivery if its elements are lists, of which one alone is read [R EVT-02]', () => {
    const mapping = { customer: 'batch[0][0].who', text: 'batch[0][0].say' }
    const [a, b] = [ASHA, JUMA].map((who, i) => ({ who, say: i === 0 ? 'Moja' : 'Mbili' }))
    expect(said(views('message.received', { batch: [[a]] }, { mapping }))).toEqual([BOTH[0]])
    for (const batch of [[[a, b]], [[a], [b]]])
      expect(received({ batch }, { mapping }).unclear, JSON.stringify(batch)).toBe('batch')
    const inner = { customer: 'e[0].batch[0][0].who', text: 'e[0].batch[0][0].say' }
    expect(received({ e: [{ batch: [[a]] }, { batch: [[b, a]] }] }, { mapping: inner }).unclear).toBe('e[0].batch')
  })

  it('is not another element of a message that is no object, and an element without facts is not passed over', () => {
    const all = views('message.received', { entry: [...entries, 7, null, { other: true }] }, { mapping: at('entry') })
    expect(said(all)).toEqual([...BOTH, [undefined, undefined]])
    expect(all[2]?.missing).toBe('customer')
    expect(said(views('message.received', { entry: [null, entries[0]] }, { mapping: at('entry') }))).toEqual([BOTH[0]])
  })

  it('gives no message an id that stands around it [R EVT-02]', () => {
    const body = { ref: 'z-0', entry: entries }
    for (const view of views('message.received', body, { mapping: { ...at('entry'), messageId: 'ref' } })) {
      expect(view.facts.messageId).toBeUndefined()
      expect(view.alarms).toContainEqual({ code: 'fact_left_out', fact: 'messageId', path: 'ref' })
      expect(view.missing).toBeUndefined()
    }
  })

  it('gives no message an id that a function returns for all of them [R EVT-02]', () => {
    const mapping = { ...at('entry'), messageId: (json: unknown) => (json as { ref: string }).ref }
    for (const { facts, alarms } of views('message.received', { ref: 'z-0', entry: entries }, { mapping })) {
      expect(facts.messageId).toBeUndefined()
      expect(alarms).toContainEqual({ code: 'fact_left_out', fact: 'messageId', path: '()' })
    }
    expect(received({ ref: 'z-0', entry: [entries[0]] }, { mapping }).facts.messageId?.value).toBe('z-0')
  })

  it('parks the delivery if other paths lead to a second one [R EVT-02]', () => {
    const mapping = { customer: ['a[0].who', 'b[0].whom'], text: ['a[0].say', 'b[0].said'] }
    const [a, b] = [[{ who: ASHA, say: 'Moja' }], [{ whom: JUMA, said: 'Mbili' }]]
    expect(said(views('message.received', { a }, { mapping }))).toEqual([BOTH[0]])
    expect(said(views('message.received', { b }, { mapping }))).toEqual([BOTH[1]])
    expect(received({ a, b }, { mapping }).unclear).toBe('b')
    expect(said(views('message.received', { a, b: [{ said: 'a fallback' }] }, { mapping }))).toEqual([BOTH[0]])
    const shared = { customer: 'who', text: ['a[0].say', 'b[0].said', 'say'] }
    expect(received({ who: ASHA, a, b }, { mapping: shared }).unclear).toBe('b')
    expect(received({ who: ASHA, a, say: 'x' }, { mapping: shared }).facts.text?.value).toBe('Moja')
    const known = { ...shared, messageId: 'ref' }
    expect(received({ who: ASHA, ref: 'z-1', a, b }, { mapping: known }).facts.text?.value).toBe('Moja')
  })
})

it('ends no process if a function of the option facts rejects', async () => {
  const rejected: unknown[] = []
  const note = (error: unknown) => void rejected.push(error)
  process.on('unhandledRejection', note)
  const text = async () => {
    throw new Error('x')
  }
  const view = received({ who: ASHA }, { mapping: { customer: 'who', text } })
  expect(view.alarms).toContainEqual({ code: 'fact_unreadable', fact: 'text', path: '()' })
  await new Promise((resolve) => void setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(rejected).toEqual([])
})

describe('a list inside a message', () => {
  const things = [
    { type: 'a', status: 'new', text: 'Shoes', from: JUMA },
    { type: 'b', status: 'new', text: 'Hats', from: JUMA },
  ]

  it('is no list of messages, whatever it contains [R EVT-02]', () => {
    const mapping = { customer: 'who.num', text: 'what.say', messageId: 'what.ref' }
    const body = { who: { num: ASHA }, what: { say: 'Moja', ref: 'z-1' } }
    for (const name of ['items', 'messages', 'buttons', 'mentions', 'data'])
      for (const more of [{ [name]: things }, { data: { [name]: things } }, { what: { ...body.what, [name]: things } }])
        expect(said(views('message.received', { ...body, ...more }, { mapping })), JSON.stringify(more)).toEqual([
          BOTH[0],
        ])
    expect(said(views('message.received', message({ from: ASHA, content: 'Moja', history: things })))).toEqual([
      BOTH[0],
    ])
    expect(said(views('message.received', { entry: [{ ...entries[0], things }] }, { mapping: at('entry') }))).toEqual([
      BOTH[0],
    ])
  })

  it('is read at its first place, and its parts with texts are messages only if there are several [R EVT-02]', () => {
    const body = (parts: object[]) => ({ who: ASHA, ref: 'z-1', parts, lines: [{ sku: 'a' }, { sku: 'b' }] })
    const mapping = { customer: 'who', messageId: 'ref', text: 'parts[0].say', sku: 'lines[0].sku' }
    const one = received(body([{ say: 'Moja' }, { picture: 'x' }]), { mapping })
    expect(one).toMatchObject({
      facts: { messageId: { value: 'z-1' }, text: { value: 'Moja' } },
      own: { sku: { value: 'a' } },
    })
    const two = views('message.received', body([{ say: 'Moja' }, { say: 'Mbili' }]), { mapping })
    expect(said(two)).toEqual([
      [ASHA, 'Moja'],
      [ASHA, 'Mbili'],
    ])
  })

  it('does not make a text read at its elements a message, but parks what would be lost', () => {
    const mapping = { customer: 'who', text: 'lines[0]' }
    expect(received({ who: ASHA, lines: ['Moja'] }, { mapping }).facts.text?.value).toBe('Moja')
    expect(received({ who: ASHA, lines: ['Moja', 'Mbili'] }, { mapping }).unclear).toBe('lines')
  })
})

describe('a fact in another list than the message', () => {
  const mapping = { ...at('entry'), name: 'people[0].profile.name' }
  const person = (name: string, phone: string) => ({ profile: { name }, address: { phone } })
  const names = (all: readonly View[]) => all.map(({ facts }) => facts.name?.value)

  it('is shared if the list has one element, and otherwise found by the customer’s number [R EVT-02]', () => {
    const one = { entry: entries, people: [person('Asha', 'x')] }
    expect(names(views('message.received', one, { mapping }))).toEqual(['Asha', 'Asha'])
    const two = { entry: entries, people: [person('Juma', `+${JUMA}`), person('Asha', ASHA)] }
    expect(names(views('message.received', two, { mapping }))).toEqual(['Asha', 'Juma'])
    expect(names(views('message.received', { ...two, entry: [entries[0]] }, { mapping }))).toEqual(['Asha'])
    const byFunction = { ...mapping, name: (json: unknown) => (json as typeof two).people[0]?.profile.name }
    expect(names(views('message.received', two, { mapping: byFunction }))).toEqual(['Asha', 'Juma'])
  })

  it('is left out with an alarm if no element has that number, and never parks the message [R EVT-02]', () => {
    const body = { entry: entries, people: [person('Juma', 'x'), person('Asha', 'y')], times: [{ t: 1 }, { t: 2 }] }
    const all = views('message.received', body, { mapping: { ...mapping, at: 'times[0].t' } })
    expect(said(all)).toEqual(BOTH)
    for (const { own, missing, unclear, alarms } of all) {
      expect({ own, missing, unclear }).toEqual({})
      expect(alarms).toContainEqual({ code: 'fact_left_out', fact: 'name', path: 'people' })
      expect(alarms).toContainEqual({ code: 'fact_left_out', fact: 'at', path: 'times' })
    }
  })

  it('cannot be the customer if there are several: the delivery is parked [R EVT-02]', () => {
    const whose = { ...at('entry'), customer: 'people[0].address.phone' }
    const people = [person('Asha', ASHA), person('Juma', JUMA)]
    const parked = received({ entry: entries, people }, { mapping: whose })
    expect(parked).toEqual({ facts: {}, unclear: 'people', alarms: [{ code: 'list_unclear', path: 'people' }] })
    expect(
      received({ ref: 'z-1', say: 'a', people }, { mapping: { ...whose, text: 'say', messageId: 'ref' } }).unclear,
    ).toBe('people')
    expect(said(views('message.received', { entry: entries, people: [people[0]] }, { mapping: whose }))).toEqual([
      [ASHA, 'Moja'],
      [ASHA, 'Mbili'],
    ])
  })
})

describe('an unmapped list with several messages, of which none was read', () => {
  const two = [ASHA, JUMA].map((from) => ({ from, text: 'Moja', timestamp: 1772615721 }))

  it('parks the delivery with a reason that names the list [R EVT-02]', () => {
    const more = { message: { ...two[0], id: 'm-1' }, others: two }
    expect(received(more).unclear).toBe('others')
    expect(received({ from: ASHA, to: '254711222333', updates: two }).unclear).toBe('updates')
    expect(received({ data: { from: ASHA, to: '254711222333', [ASHA]: two } }).unclear).toBe('data.*')
    const statuses = [1, 2].map((n) => ({ message_id: `m-${n}`, status: 'read' }))
    expect(viewOf('message.status', { to: ASHA, message_id: 'm-0', reports: statuses }).unclear).toBe('reports')
    const whole = { to: ASHA, message_id: 'm-0', status: 'read', recipients: statuses }
    expect(viewOf('message.status', whole).unclear).toBeUndefined()
  })

  it.each(NAMES)('never loses one, whatever its name: %s [R EVT-02]', (name) => {
    for (const more of [{}, { from: ASHA }, { customer_phone: ASHA }, { from: ASHA, to: '254711222333' }])
      for (const body of [
        { ...more, [name]: two },
        { data: { ...more, [name]: two } },
        { ...more, data: { [name]: two } },
      ]) {
        const all = views('message.received', body)
        const isSplit = all.length === 2 && all.every(({ facts }) => facts.text)
        const isParked = all.every(({ facts, unclear }) => unclear !== undefined || !facts.customer)
        expect(isSplit || isParked, JSON.stringify(body)).toBe(true)
      }
  })

  it('does not park what is mapped, nor a list of something else', () => {
    const body = { message: { ...two[0], id: 'm-1' }, others: two }
    expect(received(body, { mapping: { text: 'message.text' } }).facts.text?.value).toBe('Moja')
    const people = two.map(({ from }) => ({ from, name: 'x' }))
    expect(received({ ...body, others: people }).unclear).toBeUndefined()
    expect(received({ ...body, others: [two[0]] }).unclear).toBeUndefined()
  })

  it('is parked as one item, and read in full once it is mapped [R EVT-02]', async () => {
    const handled: string[] = []
    const routes = (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) =>
      void bot.otherwise((ctx) => void handled.push(`${ctx.customer}: ${ctx.message.text}`))
    const options: BotOptions = {}
    await using world = await openWorld(routes, { options })
    await happens(world, 'message.received', { from: ASHA, to: '254711222333', updates: two })
    await world.settled()
    const { deliveries } = await world.store().listDeliveries({ limit: 9 })
    expect(deliveries[0]?.items).toMatchObject([
      { state: 'parked', reason: expect.stringContaining('list_unclear: updates') },
    ])
    expect(handled).toEqual([])
    options.facts = { 'message.received': { customer: 'updates[0].from', text: 'updates[0].text' } }
    await world.restart(routes)
    await world.store().reingest(deliveries.map(({ seq }) => seq))
    await world.settled()
    expect(handled.sort()).toEqual([`${ASHA}: Moja`, `${JUMA}: Moja`])
  })
})
