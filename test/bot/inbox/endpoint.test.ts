import { expect, it } from 'vitest'
import { ACCEPTED, receiverOn, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE } from './signing.ts'

const SECRETS = { kariakoo: 'whsec_a', mbezi: 'whsec_b' }

/** A receiver, and what it answers to a delivery with that secret at the endpoint of a number. */
function endpoints(secrets: Parameters<typeof receiverOn>[0]) {
  const on = receiverOn(secrets)
  const post = (secret: string, number: () => Promise<string | undefined>) =>
    on.take({ headers: headersOf(MESSAGE, { secret }), readBody: async () => ({ bytes: MESSAGE }), number })
  return { ...on, post, postTo: (secret: string, number: string | undefined) => post(secret, async () => number) }
}

it('the endpoint of a number accepts its deliveries, and refuses another number’s like a wrong signature [R SIG-06]', async () => {
  const { postTo, states, lines } = endpoints({ secrets: SECRETS })
  expect(await postTo('whsec_b', 'kariakoo')).toMatchObject(REFUSED)
  expect(await postTo('whsec_x', 'kariakoo')).toMatchObject(REFUSED)
  expect(await states()).toEqual({})
  expect(lines.map(({ about }) => about['reason'])).toContain('mismatch')
  expect(await postTo('whsec_a', 'kariakoo')).toMatchObject(ACCEPTED)
  expect(await states()).toMatchObject({ stored: 1 })
})

it.each(['tegeta', undefined, '__proto__'])(
  'the endpoint of an unknown number (%s) answers like one with a wrong signature, and the log has the reason',
  async (number) => {
    const { postTo, states, warnings } = endpoints({ secrets: SECRETS })
    expect(await postTo('whsec_a', number)).toMatchObject(REFUSED)
    expect(await states()).toEqual({})
    expect(warnings()).toMatchObject([{ about: { reason: 'unknown_number' } }])
  },
)

it('a delivery whose number cannot be determined now gets 503, without the words of the error', async () => {
  const { post, text } = endpoints({ secrets: SECRETS })
  const fails = async () => Promise.reject(new TypeError('whsec_a is the secret'))
  expect(await post('whsec_a', fails)).toMatchObject({ status: 503 })
  expect(text()).toContain('TypeError')
  expect(text()).not.toContain('whsec_a')
})

it('numbers that share a secret accept each other’s deliveries at either endpoint, each of them once', async () => {
  const { postTo } = endpoints({ secrets: { kariakoo: 'shared', mbezi: ['own', 'shared'] } })
  expect(await postTo('shared', 'kariakoo')).toMatchObject(ACCEPTED)
  expect(await postTo('shared', 'mbezi')).toMatchObject({ status: 200, body: '{"status":"duplicate"}' })
  expect(await postTo('own', 'kariakoo')).toMatchObject(REFUSED)
})
