import { describe, expect, it } from 'vitest'
import { message, received } from './reading.ts'

const ASHA = '255712000101'
const OURS = '255711222333'
const read = (changes: object, more?: Parameters<typeof received>[1]) => received(message(changes), more)

describe('the number’s own message', () => {
  const ECHOES: readonly object[] = [
    { from_me: true },
    { fromMe: true },
    { 'from-me': 'true' },
    { from_me: 1 },
    { is_from_me: 'yes' },
    { is_echo: true },
    { isEcho: '1' },
    { echo: true },
    { key: { fromMe: true, id: 'A1' } },
    { message_echo: true },
    { direction: 'OUTBOUND' },
    { direction: 'outbound' },
    { direction: 'out' },
    { direction: 'Outgoing' },
    { direction: 'outbound-api' },
    { message_direction: 'OUTBOUND' },
    { source: 'business' },
    { source: 'BUSINESS_APP' },
    { source: 'dashboard' },
    { sender_type: 'agent' },
    { sender_type: 'operator' },
    { sender_type: 'ai_agent', direction: 'outbound' },
  ]
  const OTHERS: readonly object[] = [
    {},
    { from_me: false },
    { fromMe: 'false' },
    { from_me: 0 },
    { from_me: null },
    { from_me: '' },
    { from_me: 'maybe' },
    { is_echo: 'no' },
    { echo: 'Habari' },
    { echo: {} },
    { direction: 'INBOUND' },
    { direction: 'in' },
    { direction: 'incoming' },
    { direction: 'outside' },
    { direction: 'output' },
    { direction: 2 },
    { source: 'HUMAN' },
    { source: 'customer' },
    { source: 'whatsapp' },
    { source: 'outlet 7' },
    { sender_type: 'user' },
    { sender_type: 'contact' },
    { content: 'echo' },
    { from_me: true, direction: 'INBOUND' },
    { direction: 'INBOUND', source: 'agent' },
  ]

  it('is found by what platforms say about that [R EVT-03]', () => {
    for (const changes of ECHOES)
      expect({ changes, echo: read({ ...changes, from: OURS, to: ASHA }).facts.echo?.value }).toEqual({
        changes,
        echo: true,
      })
  })

  it('is no customer’s message, also if candidates disagree or say nothing [R EVT-03]', () => {
    for (const changes of OTHERS)
      expect({ changes, echo: read(changes).facts.echo, of: read(changes).facts.customer?.value }).toEqual({
        changes,
        of: ASHA,
      })
    expect(read({ from_me: true, direction: 'INBOUND' }).alarms).toMatchObject([
      { code: 'fact_conflict', fact: 'echo' },
    ])
  })

  it('concerns the customer to whom it went, though the app maps the customer to its sender [R EVT-03]', () => {
    const mapping = { customer: 'data.from', echo: 'data.ours' }
    const view = read({ ours: 'yes', from: OURS, to: ASHA }, { mapping })
    expect(view.facts).toMatchObject({ echo: { value: true, how: 'mapped' }, customer: { value: ASHA } })
    expect(read({ ours: 'no' }, { mapping }).facts).toMatchObject({ customer: { value: ASHA, how: 'mapped' } })
    expect(read({ ours: 'OUTBOUND', from: OURS }, { mapping }).missing).toBeUndefined()
  })
})

describe('the name in the customer’s profile', () => {
  it('is found where platforms have it [R EVT-03]', () => {
    for (const changes of [
      { contact: { name: 'Asha M.' } },
      { contact: { profile: { name: 'Asha M.' } } },
      { customer: { name: ' Asha M. ' } },
      { profile: { name: 'Asha M.' } },
      { profileName: 'Asha M.' },
      { contact_name: 'Asha M.' },
      { customerName: 'Asha M.' },
      { senderName: 'Asha M.' },
      { pushName: 'Asha M.' },
      { notifyName: 'Asha M.' },
      { from: { number: ASHA, name: 'Asha M.' } },
      { from: undefined, sender: { phone: ASHA, name: 'Asha M.' } },
      { contacts: [{ wa_id: ASHA, profile: { name: 'Asha M.' } }] },
    ])
      expect({ changes, name: read(changes).facts.name?.value }).toEqual({ changes, name: 'Asha M.' })
    const around = { contacts: [{ profile: { name: 'Asha M.' } }], message: { from: ASHA, type: 'text', text: 'hi' } }
    expect(received({ data: around }).facts.name?.value).toBe('Asha M.')
  })

  it('is nobody else’s, nor a name of anything else [R EVT-03]', () => {
    for (const changes of [
      {},
      { name: 'Asha M.' },
      { contact: { name: ' ' } },
      { contact: { name: null } },
      { contact: { name: { first: 'Asha' } } },
      { contact: 'Asha M.' },
      { contacts: [{ profile: { name: 'Asha M.' } }, { profile: { name: 'Juma' } }] },
      { message_type: 'contacts', contacts: [{ name: 'Juma', phones: [{ phone: '255712000199' }] }] },
      { message_type: 'document', document: { url: 'https://media.test/1', name: 'Price list' } },
      { message_type: 'location', location: { latitude: 1, longitude: 2, name: 'Home' } },
      { order: { name: 'No. 7' } },
      { from_me: true, from: { number: OURS, name: 'Our shop' }, to: ASHA },
    ])
      expect({ changes, name: read(changes).facts.name?.value }).toEqual({ changes, name: undefined })
    expect(read({ contact: { name: 'a'.repeat(900) } }).facts.name?.value).toHaveLength(200)
  })
})
