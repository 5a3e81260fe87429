/** The desk as people see it: over HTTP, beside the bot with its own clock. */
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { scenario } from 'switchhook/testing'
import { makeApp } from '../src/app.ts'
import { bot } from '../src/bot.ts'
import { readPeople } from '../src/desk/people.ts'
import { WORDS } from '../src/words.ts'
import { EXAMPLE_PASSWORDS, EXAMPLES } from '../dev/examples.ts'

const NOON = '2026-03-04T12:00:00+03:00' // a Wednesday
const NIGHT = '2026-03-04T22:00:00+03:00'

it('shows who waits to a person who has signed in, and sends their answer', async () => {
  await using s = await scenario(bot, { at: NOON })
  const asha = s.customer('255712000101')
  await asha.says('person')
  await asha.says('My shoes are too small.')
  await using desk = await open()
  expect(await desk.signIn('neema')).toBe('/desk/')
  const [row] = await desk.waiting()
  expect(row).toMatchObject({ phone: '255712000101', last: { text: 'My shoes are too small.' } })
  await desk.answer(row?.customer ?? '', 'Send them back, and we change them.')
  await s.advance('1s')
  expect(asha.last?.text).toBe('Send them back, and we change them.')
  expect(await desk.waiting()).toEqual([])
})

it('shows in the morning who asked for a person at night', async () => {
  await using s = await scenario(bot, { at: NIGHT })
  expect((await s.customer('255712000101').says('person')).text).toBe(WORDS.en.closed)
  await using desk = await open()
  await desk.signIn('baraka')
  expect(await desk.waiting()).toHaveLength(1)
})

it('lets nobody in with a wrong password, nor after signing out', async () => {
  await using _s = await scenario(bot)
  await using desk = await open()
  expect((await desk.get('/desk/')).headers.get('location')).toBe('/sign-in?to=%2Fdesk%2F')
  expect(await desk.signIn('neema', EXAMPLE_PASSWORDS.baraka)).toBeNull()
  expect((await desk.get('/desk/api/state')).status).toBe(401)
  await desk.signIn('neema')
  expect((await desk.get('/desk/api/state')).status).toBe(200)
  await desk.post('/sign-out')
  expect((await desk.get('/desk/api/state')).status).toBe(401)
})

/** The app on a free port, and a browser that keeps its cookie. */
async function open() {
  const people = readPeople(EXAMPLES.DESK_PEOPLE)
  const app = makeApp({ people, sessionSecret: EXAMPLES.SESSION_SECRET, isProduction: false })
  const server = app.listen(0)
  await new Promise((listening) => server.once('listening', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let cookie = ''

  async function get(path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) {
    const headers = { cookie, 'sec-fetch-site': 'same-origin', ...init.headers }
    const answer = await fetch(url + path, { redirect: 'manual', ...init, headers })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return answer
  }
  const post = (path: string, body?: URLSearchParams) => get(path, { method: 'POST', ...(body && { body }) })
  async function api<T>(path: string, body: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-switchhook-admin': '1' }
    return (await get(`/desk/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as T
  }
  return {
    get,
    post,
    /** Resolves with where it leads, null if the person may not come in. */
    async signIn(name: keyof typeof EXAMPLE_PASSWORDS, password: string = EXAMPLE_PASSWORDS[name]) {
      return (await post('/sign-in', new URLSearchParams({ name, password }))).headers.get('location')
    },
    async waiting() {
      const { rows } = (await (await get('/desk/api/queue?list=waiting')).json()) as { rows: { customer: string }[] }
      return rows
    },
    async answer(customer: string, text: string) {
      const { seen } = await api<{ seen: unknown }>('visit', { customer })
      await api('act', { act: 'write', customer, key: 'an-answer', seen, text })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
