import { describe, expect, it } from 'vitest'
import { lifecycleOf } from '../../src/bot/lifecycle.ts'
import { serve } from '../../src/bot/inbox/adapters/node.ts'
import { botOn } from './inbox/bot.ts'
import { headersOf, MESSAGE } from './inbox/signing.ts'
import { ASHA } from '../support/people.ts'

describe('the role of a start', () => {
  it.each([
    [undefined, undefined, 'both'],
    [undefined, 'receive', 'receive'],
    ['work', undefined, 'work'],
    ['both', 'work', 'both'],
  ] as const)(
    'is %s by the option and %s by the environment: %s, as the log reports',
    async (role, variable, expected) => {
      const environment = variable === undefined ? {} : { SWITCHHOOK_ROLE: variable }
      const { bot, lines } = botOn({ overrides: { environment } })
      await bot.start(role && { role })
      expect(lines.find(({ message }) => message === 'started')?.about).toMatchObject({ role: expected })
      expect(lifecycleOf(bot).role()).toBe(expected)
    },
  )

  it('is an option of serve, and part of its probe’s answer', async () => {
    const { bot } = botOn()
    const { url, close } = await serve(bot, { port: 0, role: 'work' })
    const probe = await fetch(new URL('/health', url))
    expect([probe.status, await probe.json()]).toEqual([200, expect.objectContaining({ role: 'work' })])
    expect((await fetch(url, { method: 'POST', headers: headersOf(MESSAGE), body: MESSAGE })).status).toBe(503)
    await close()
  })
})

it('a process that only receives erases forgotten customers automatically, and prunes nothing [F-59]', async () => {
  const asked: string[] = []
  const { bot } = botOn({
    around: (store) => ({
      ...store,
      eraseForgotten(limit) {
        asked.push('erase')
        return store.eraseForgotten(limit)
      },
      prune(pruning) {
        asked.push('prune')
        return store.prune(pruning)
      },
    }),
  })
  await bot.start({ role: 'receive' })
  await bot.to(ASHA).forget()
  await bot.stop()
  expect([...new Set(asked)]).toEqual(['erase'])
})

it('a process that only works answers a delivery with 503, so that the service sends it again, stores none, and logs the reason [R DEL-02]', async () => {
  const { bot, post, lines, counts } = botOn()
  await bot.start({ role: 'work' })
  expect(await post()).toMatchObject({ status: 503 })
  expect((await counts()).deliveries).toEqual({})
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: expect.stringContaining("Send deliveries to processes with the role 'receive' or 'both'") },
  ])
})
