import express from 'express'
import { describe, expect, it } from 'vitest'
import type { AnyBot } from 'switchhook'
import { webhook } from 'switchhook/express'
import { webhook as receiver } from 'switchhook/fetch'
import { serve, webhook as listener } from 'switchhook/node'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE } from '../signing.ts'
import { overNode } from './hosts.ts'
import { listenOn } from './http.ts'

const last = (path = '') => path.split('/').at(-1)

/** Each adapter at `/webhooks/NUMBER`. */
const HOSTS: Readonly<Record<string, (bot: AnyBot) => Parameters<typeof listenOn>[0]>> = {
  express: (bot) => express().use('/webhooks/:number', webhook(bot, { number: ({ params }) => params['number'] })),
  node: (bot) => listener(bot, { number: ({ url }) => last(url) }),
  fetch: (bot) => overNode(receiver(bot, { number: async ({ url }) => last(url) })),
}

describe('the endpoint of a number', () => {
  it.for(Object.entries(HOSTS))('is chosen by the request: %s [R SIG-06]', async ([, host]) => {
    const { bot } = botOn({
      options: { numbers: { retail: { signingSecret: 'whsec_r' }, trade: { signingSecret: 'whsec_t' } } },
    })
    await bot.start()
    const { port } = await listenOn(host(bot))
    const statusAt = async (number: string) => {
      const headers = headersOf(MESSAGE, { secret: 'whsec_t' })
      return (await fetch(`http://127.0.0.1:${port}/webhooks/${number}`, { method: 'POST', headers, body: MESSAGE }))
        .status
    }
    expect([await statusAt('retail'), await statusAt('nobody'), await statusAt('trade')]).toEqual([401, 401, 200])
  })

  it('is required if the numbers come from a source, because nobody knows all secrets', async () => {
    const { bot } = botOn({ options: { numbers: { find: async () => undefined } } })
    for (const mount of [webhook, receiver, listener])
      expect(() => mount(bot)).toThrow(/^number: the numbers of this bot/)
    await expect(serve(bot, { port: 0 })).rejects.toThrow(/^serve\(\) has one path for all numbers/)
    const { url, close } = await serve(bot, { port: 0, role: 'work' })
    expect((await fetch(new URL('/health', url))).status).toBe(200)
    await close()
  })
})
