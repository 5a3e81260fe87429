import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { join } from 'node:path'
import { delivery } from '../stores/samples.ts'
import { beside, CUSTOMER, isGenuine, openReceiver, SECRET } from './emulator-support.ts'
import { jsonLines } from './support.ts'

const { emulator, receiver, folder, run, answers } = beside()

/** A customer's message that the app has answered. */
async function delivered(text = 'hours') {
  const { deliveryIds } = await emulator().customer(CUSTOMER).says(text)
  const id = deliveryIds[0] ?? ''
  await emulator().deliveries.wait((one) => one.id === id && one.attempts.length > 0)
  return id
}

const ids = () => receiver().received.map(({ headers }) => headers['x-service-delivery'])

describe('switchhook replay', () => {
  it('delivers the same id and bytes once more, signed now', async () => {
    const id = await delivered()
    const { code, stdout } = await run(['replay', id.toLowerCase(), '--json'])
    expect([code, jsonLines(stdout)]).toEqual([0, [expect.objectContaining({ id, status: 200 })]])
    const [first, second] = receiver().received
    expect(second?.body).toEqual(first?.body)
    expect(ids()).toEqual([id, id])
    expect(receiver().received.every(isGenuine)).toBe(true)
  })

  it('takes the last one, or all that failed', async () => {
    // The emulator tries the failed one again after a second, so it goes on failing however slow this machine is.
    answers(({ body }) => (body.includes('two') ? 500 : 200))
    await delivered('one')
    const failed = await delivered('two')
    const last = await delivered('three')
    expect(jsonLines((await run(['replay', 'last', '--json'])).stdout).map(({ id }) => id)).toEqual([last])
    expect(jsonLines((await run(['replay', 'failed', '--json'])).stdout).map(({ id }) => id)).toEqual([failed])
  })

  it('says that nothing failed, that nothing was delivered yet, or that it knows no such delivery', async () => {
    const none = await run(['replay', 'failed'])
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'Nothing has failed.\n'])
    expect((await run(['replay', 'last'])).code).toBe(1)
    expect((await run(['replay', '01JNG3C0V2K7G0ZP6T2J5M8Q4R'])).code).toBe(1)
  })

  it.for(['signature', 'body', 'timestamp'])('--tamper %s is done if the receiver refuses it', async (what) => {
    await delivered()
    const { code, stdout } = await run(['replay', 'last', '--tamper', what])
    expect(code).toBe(0)
    expect(stdout).toMatch(/ 401 .* yes\n$/)
  })

  it('fails if a receiver takes what it must refuse', async () => {
    await using careless = await openReceiver(() => 200, { careless: true })
    await delivered()
    for (const how of [
      ['--tamper', 'body'],
      ['--offset', '-301s'],
    ]) {
      const { code, stdout } = await run(['replay', 'last', '--to', careless.url, ...how])
      expect(code).toBe(1)
      expect(stdout).toMatch(/ 200 .* no\n$/)
    }
  })

  it('fails if a receiver breaks over what it must refuse', async () => {
    await using broken = await openReceiver(() => 500, { careless: true })
    await delivered()
    const { code, stdout } = await run(['replay', 'last', '--to', broken.url, '--tamper', 'signature', '--json'])
    expect([code, jsonLines(stdout)]).toEqual([1, [expect.objectContaining({ status: 500, ok: false })]])
  })

  it('SIG-06 --offset signs as of another time', async () => {
    await delivered()
    const began = Math.floor(Date.now() / 1_000)
    // A machine that is slow arrives late: nearer to the stamps ahead of it.
    expect((await run(['replay', 'last', '--offset', '-301s'])).stdout).toContain('401')
    expect((await run(['replay', 'last', '--offset', '+500s'])).stdout).toContain('401')
    expect((await run(['replay', 'last', '--offset', '-100s'])).stdout).toContain('200')
    const ended = Math.ceil(Date.now() / 1_000)
    const stamps = receiver().received.map(({ headers }) => Number(headers['x-service-timestamp']))
    for (const [index, offset] of [-301, 500, -100].entries()) {
      const signedAt = (stamps[index + 1] ?? 0) - offset
      expect(signedAt).toBeGreaterThanOrEqual(began)
      expect(signedAt).toBeLessThanOrEqual(ended)
    }
  })

  it('--exact repeats the signature and the timestamp of then', async () => {
    await delivered()
    expect((await run(['replay', 'last', '--exact'])).code).toBe(0)
    const [first, second] = receiver().received.map(({ headers }) => headers['x-service-signature'])
    expect(second).toBe(first)
  })

  it('--duplicate delivers several at the same time, two unless told otherwise', async () => {
    await delivered()
    expect(jsonLines((await run(['replay', 'last', '--duplicate', '--json'])).stdout)).toHaveLength(2)
    expect(jsonLines((await run(['replay', 'last', '--duplicate', '5', '--json'])).stdout)).toHaveLength(5)
    expect(receiver().received).toHaveLength(8)
  })

  it("--to delivers to another receiver, by the emulator's own secret unless another is given", async () => {
    await using other = await openReceiver()
    const id = await delivered()
    const { code, stdout } = await run(['replay', 'last', '--to', other.url, '--json'])
    expect([code, jsonLines(stdout)]).toEqual([0, [expect.objectContaining({ id, status: 200, url: other.url })]])
    expect(other.received.every(isGenuine)).toBe(true)
    expect((await run(['replay', 'last', '--to', other.url, '--secret', 'another'])).code).toBe(1)
    expect((await run(['replay', 'last', '--to', `http://127.0.0.1:${await freePort()}`])).code).toBe(3)
    expect((await run(['replay', 'last', '--to', 'https://shop.example'])).code).toBe(4)
  })

  it("--database takes what an app's inbox holds, and looks at no emulator", async () => {
    const file = join(folder(), 'app.db')
    const store = openSqlite(file)
    const body = Buffer.from('{"kept":"as it came"}')
    await store.accept(delivery({ deliveryId: '01JNG3C0V2K7G0ZP6T2J5M8Q4R', event: 'order.paid', body }))
    await store.close()
    const nowhere = { SWITCHHOOK_EMULATOR: 'http://127.0.0.1:1' }
    const to = ['--to', receiver().url, '--secret', SECRET]
    for (const which of ['last', '1', '01JNG3C0V2K7G0ZP6T2J5M8Q4R'])
      expect((await run(['replay', which, '--database', file, ...to], nowhere)).code, which).toBe(0)
    expect(receiver().received.every(isGenuine)).toBe(true)
    expect(receiver().received.map((one) => one.body)).toEqual([body, body, body])
    expect((await run(['replay', 'last', '--database', file], nowhere)).code).toBe(2)
    expect((await run(['replay', 'last', '--database', file, '--exact', ...to], nowhere)).code).toBe(2)
  })

  it('exits with 2 for what contradicts itself', async () => {
    for (const args of [
      [],
      ['last', '--tamper', 'all'],
      ['last', '--exact', '--offset', '5s'],
      ['last', '--offset', 'x'],
    ])
      expect((await run(['replay', ...args])).code, args.join(' ')).toBe(2)
  })
})
