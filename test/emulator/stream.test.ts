import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './support/api.ts'
import { startApp } from './support/app.ts'

interface Frame {
  readonly id: string
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** Reads server-sent events as a browser would. */
async function listen(emulator: Emulator, lastId?: string) {
  const headers = {
    Authorization: `Bearer ${emulator.controlToken}`,
    ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
  }
  const response = await fetch(`${emulator.url}/_emulator/stream`, { headers })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) throw new Error('the stream has no body')
  let text = ''
  const frames = (): Frame[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => block.includes('data:'))
      .map((block) => {
        const lines = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
        return { id: lines['id'], event: lines['event'], data: JSON.parse(lines['data']) }
      })
  return {
    response,
    /** Everything so far, once a frame fits; the text of all with it. */
    async until(fits: (frame: Frame) => boolean): Promise<Frame[]> {
      for (;;) {
        const all = frames()
        if (all.some(fits)) return all
        const { value, done } = await reader.read()
        if (done) throw new Error('the stream ended')
        text += value
      }
    },
    text: () => text,
    [Symbol.asyncDispose]: () => reader.cancel(),
  }
}

describe('the stream', () => {
  it('shows everything as it happens: calls, changes, threads, events, deliveries, with ids', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url })
    await using stream = await listen(emulator)
    expect(stream.response.headers.get('Content-Type')).toBe('text/event-stream')
    expect(stream.response.headers.get('X-Emulator')).toBe('switchhook')
    await control(emulator, 'POST', `customers/${CUSTOMER}/messages`, { text: 'Habari\n\ndata: x' })
    await send(emulator, { to: CUSTOMER, text: '' })
    // The app's answer and the call of this process come in either order.
    await stream.until(({ event, data }) => event === 'delivery' && data.delivery.state === 'delivered')
    const frames = await stream.until(({ event }) => event === 'api')
    const kinds = new Set(frames.map(({ event }) => event))
    for (const kind of ['thread', 'event', 'delivery', 'control', 'api']) expect([...kinds], kind).toContain(kind)
    const [thread] = frames.filter(({ event }) => event === 'thread')
    expect(thread?.data).toMatchObject({
      customer: CUSTOMER,
      item: { direction: 'INBOUND', text: 'Habari\n\ndata: x' },
    })
    const api = frames.find(({ event }) => event === 'api')
    expect(api?.data).toMatchObject({ method: 'POST', path: '/api/v2/messages', status: 422, code: 'validation_error' })
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length)
    for (const { id, data } of frames) expect([data.id, data.at]).toEqual([id, expect.stringMatching(/Z$/)])
  })

  it('continues after the last seen id, and sends resync if missed entries are no longer available', async () => {
    await using emulator = await createEmulator()
    await using first = await listen(emulator)
    const customer = emulator.customer(CUSTOMER)
    for (const text of ['one', 'two', 'three']) await customer.says(text)
    const isThird = ({ data }: Frame) => data.item?.text === 'three'
    const all = await first.until(isThird)
    const one = all.findIndex(({ data }) => data.item?.text === 'one')
    await using again = await listen(emulator, all[one]?.id)
    expect(await again.until(isThird)).toEqual(all.slice(one + 1))

    await using foreign = await listen(emulator, '0badcafe-7')
    const [frame] = await foreign.until(() => true)
    expect(frame?.event).toBe('resync')
    await using after = await listen(emulator, frame?.id)
    await customer.says('four')
    const rest = await after.until(({ data }) => data.item?.text === 'four')
    expect(rest.filter(({ event }) => event === 'thread').map(({ data }) => data.item.text)).toEqual(['four'])
  })

  it('continues after a reset, and sends resync', async () => {
    await using emulator = await createEmulator()
    await using stream = await listen(emulator)
    await emulator.reset()
    await emulator.customer(CUSTOMER).says('Habari')
    const frames = await stream.until(({ event }) => event === 'thread')
    expect(frames.filter(({ event }) => event === 'resync').length).toBe(1)
  })

  it('shows no token and no secret', async () => {
    await using emulator = await createEmulator()
    await using stream = await listen(emulator)
    const { json } = await control(emulator, 'PUT', 'account', { rotate: true })
    const secret = await control(emulator, 'POST', 'subscriptions', { url: 'http://127.0.0.1:9/x' })
    await emulator.customer(CUSTOMER).says('last')
    await stream.until(({ data }) => data.item?.text === 'last')
    for (const hidden of [json.numbers[0].accessToken, secret.json.secret, emulator.controlToken])
      expect(stream.text()).not.toContain(hidden)
  })
})
