import { describe, expect, it } from 'vitest'
import { beside, CUSTOMER, isGenuine, openReceiver } from './emulator-support.ts'
import { jsonLines } from './support.ts'

const { emulator, receiver, run, answers } = beside()

/** A customer's message that the app has answered. */
async function delivered(text = 'hours') {
  const { deliveryIds } = await emulator().customer(CUSTOMER).says(text)
  const id = deliveryIds[0] ?? ''
  await emulator().deliveries.wait((one) => one.id === id && one.attempts.length > 0)
  return id
}

/** The same, delivered to another endpoint too; the answer is that delivery. */
async function deliveredTo(url: string) {
  await emulator().subscriptions.register({ url })
  const { deliveryIds } = await emulator().customer(CUSTOMER).says('hours')
  const { id } = await emulator().deliveries.wait(
    (one) => deliveryIds.slice(1).includes(one.id) && one.attempts.length > 0,
  )
  return id
}

const ids = () => receiver().received.map(({ headers }) => headers['x-service-delivery'])

describe('switchhook replay', () => {
  it('delivers the same id and bytes again, signed now', async () => {
    const id = await delivered()
    const { code, stdout } = await run(['replay', id.toLowerCase(), '--json'])
    expect([code, jsonLines(stdout)]).toEqual([0, [expect.objectContaining({ id, status: 200 })]])
    const [first, second] = receiver().received
    expect(second?.body).toEqual(first?.body)
    expect(ids()).toEqual([id, id])
    expect(receiver().received.every(isGenuine)).toBe(true)
  })

  it('repeats the last one, or all failed ones', async () => {
    // The emulator tries the failed one again after a second, so it keeps failing however slow this machine is.
    answers(({ body }) => (body.includes('two') ? 500 : 200))
    await delivered('one')
    const failed = await delivered('two')
    const last = await delivered('three')
    expect(jsonLines((await run(['replay', 'last', '--json'])).stdout).map(({ id }) => id)).toEqual([last])
    expect(jsonLines((await run(['replay', 'failed', '--json'])).stdout).map(({ id }) => id)).toEqual([failed])
  })

  it.for(['signature', 'body', 'timestamp'])('--tamper %s is done if the receiver refuses it', async (what) => {
    await delivered()
    const { code, stdout } = await run(['replay', 'last', '--tamper', what])
    expect(code).toBe(0)
    expect(stdout).toMatch(/ 401 .* yes\n$/)
  })

  it('fails if a receiver accepts what it must refuse', async () => {
    const careless = await openReceiver(() => 200, { careless: true })
    const id = await deliveredTo(careless.url)
    const { code, stdout } = await run(['replay', id, '--tamper', 'body'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/ 200 .* no\n$/)
  })

  it('repeats the original signature and timestamp with --exact', async () => {
    await delivered()
    expect((await run(['replay', 'last', '--exact'])).code).toBe(0)
    const [first, second] = receiver().received.map(({ headers }) => headers['x-service-signature'])
    expect(second).toBe(first)
  })

  it('delivers two at the same time with --duplicate', async () => {
    await delivered()
    expect(jsonLines((await run(['replay', 'last', '--duplicate', '--json'])).stdout)).toHaveLength(2)
    expect(receiver().received).toHaveLength(3)
  })
})
