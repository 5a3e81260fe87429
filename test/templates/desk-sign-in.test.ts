/** The sign-in of the support-desk template: what people and attackers try. */
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { scenario, type Scenario } from '../../src/kit/testing/testing.ts'
import { makeApp } from '../../templates/support-desk/src/app.ts'
import { bot } from '../../templates/support-desk/src/bot.ts'
import { checkPassword, makeEntry, type Person, readPeople } from '../../templates/support-desk/src/desk/people.ts'
import { readEnvironment } from '../../templates/support-desk/src/environment.ts'
import { createThrottle } from '../../templates/support-desk/src/desk/throttle.ts'
import { SIGN_IN, WORDS } from '../../templates/support-desk/src/words.ts'
import { EXAMPLE_PASSWORDS, EXAMPLES } from '../../templates/support-desk/dev/examples.ts'
import { run } from '../kit/cli/support.ts'

const ADD_PERSON = resolve(import.meta.dirname, '../../templates/support-desk/src/desk/add-person.ts')

let s: Scenario
let people: Person[]
beforeAll(async () => {
  s = await scenario(bot, { at: '2026-03-04T22:00:00+03:00' })
})
afterAll(() => s.close())
beforeEach(() => void (people = readPeople(EXAMPLES.DESK_PEOPLE)))

/** The app on a free port. */
async function open({ isProduction = false, sessionSecret = EXAMPLES.SESSION_SECRET } = {}) {
  const server = makeApp({ people, sessionSecret, isProduction }).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    browser: () => createBrowser(`http://${host}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function createBrowser(url: string) {
  let cookie = ''
  async function ask(path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) {
    const headers = { cookie, 'sec-fetch-site': 'same-origin', ...init.headers }
    const answer = await fetch(url + path, { redirect: 'manual', ...init, headers })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return answer
  }
  return {
    ask,
    cookie: () => cookie,
    async signIn(name: string, password: string, o: { to?: string; headers?: Record<string, string> } = {}) {
      const body = new URLSearchParams({ name, password })
      return ask(`/sign-in?to=${o.to ?? '/desk/'}`, { method: 'POST', body, headers: o.headers ?? {} })
    },
    signOut: (headers: Record<string, string> = {}) => ask('/sign-out', { method: 'POST', headers }),
    state: async () => (await ask('/desk/api/state')).status,
  }
}

type SignedIn = ReturnType<typeof createBrowser>

async function neemaAt(app: { browser(): SignedIn }): Promise<SignedIn> {
  const browser = app.browser()
  expect((await browser.signIn('neema', EXAMPLE_PASSWORDS.neema)).status).toBe(303)
  return browser
}

/** What an open desk hears until its stream ends. */
async function streamOf(browser: SignedIn) {
  const answer = await browser.ask('/desk/api/stream')
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let heard = (await reader?.read())?.value ?? ''
  const rest = (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) heard += part.value
    return heard
  })()
  return { status: answer.status, ended: rest }
}

it('the support-desk template shows in the morning who asked for a person at night, and sends the answer', async () => {
  await using app = await open()
  const asha = s.customer('255712000101')
  expect((await asha.says('person')).text).toBe(WORDS.en.closed)
  const browser = await neemaAt(app)
  const { rows } = (await (await browser.ask('/desk/api/queue?list=waiting')).json()) as {
    rows: { customer: string; phone: string; why: string }[]
  }
  expect(rows).toMatchObject([{ phone: '255712000101', why: 'asked' }])
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json', 'x-switchhook-admin': '1' }
    return (await browser.ask(`/desk/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  const customer = rows[0]?.customer
  const { seen } = (await post('visit', { customer })) as { seen: unknown }
  await post('act', { act: 'write', customer, key: 'an-answer', seen, text: 'Good morning!' })
  await s.advance('1s')
  expect(asha.last?.text).toBe('Good morning!')
})

describe('the sign-in of the support-desk template', () => {
  it('lets a person in under their name however it is typed, and nobody with a wrong password or an unknown name', async () => {
    await using app = await open()
    const browser = app.browser()
    for (const [name, password] of [
      ['neema', EXAMPLE_PASSWORDS.baraka],
      ['nobody', EXAMPLE_PASSWORDS.neema],
      ['', ''],
    ] as const) {
      const answer = await browser.signIn(name, password)
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
      expect(await answer.text()).toContain(SIGN_IN.wrong)
      expect(await browser.state()).toBe(401)
    }
    const answer = await browser.signIn(' Neema ', EXAMPLE_PASSWORDS.neema)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/desk/'])
    const me = (await (await browser.ask('/desk/api/state')).json()) as { me: object; colleagues: string[] }
    expect(me.me).toMatchObject({ who: 'neema', write: true, reveal: true })
    expect(me.colleagues).toEqual(['neema', 'baraka'])
  })

  it('keeps the session in a cookie that scripts cannot read and other sites cannot send, over https in production', async () => {
    for (const isProduction of [true, false]) {
      await using app = await open({ isProduction })
      const answer = await app.browser().signIn('neema', EXAMPLE_PASSWORDS.neema)
      const [cookie = '', ...flags] = (answer.headers.get('set-cookie') ?? '').split('; ')
      expect(flags).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=43140']))
      expect(flags.includes('Secure')).toBe(isProduction)
      expect(cookie).not.toMatch(/neema/i)
    }
  })

  it('refuses a cookie that was changed, or made under another secret', async () => {
    await using app = await open()
    await using other = await open({ sessionSecret: 'another secret of thirty-two characters' })
    const [own, foreign] = [(await neemaAt(app)).cookie(), (await neemaAt(other)).cookie()]
    expect((await app.browser().ask('/desk/api/state', { headers: { cookie: own } })).status).toBe(200)
    for (const cookie of [own.replace('*', '*x'), 'desk=neema', foreign])
      expect((await app.browser().ask('/desk/api/state', { headers: { cookie } })).status).toBe(401)
  })

  it('ends the stream and the session of a person who was removed, within a minute', async () => {
    await using app = await open()
    const browser = await neemaAt(app)
    const stream = await streamOf(browser)
    expect(stream.status).toBe(200)
    people.splice(0, 1)
    expect(await browser.state()).toBe(401)
    await s.advance('61s')
    expect(await stream.ended).toContain('event: gone')
    expect((await browser.signIn('neema', EXAMPLE_PASSWORDS.neema)).status).toBe(401)
  })

  it('ends the sessions of an old password', async () => {
    await using app = await open()
    const browser = await neemaAt(app)
    people.splice(0, 1, ...readPeople(await makeEntry('neema', 'admin', 'another password')))
    expect(await browser.state()).toBe(401)
    expect((await browser.signIn('neema', 'another password')).status).toBe(303)
    expect(await browser.state()).toBe(200)
  })

  it('ends a session by signing out, also for the open stream and for a copy of its cookie', async () => {
    await using app = await open()
    const browser = await neemaAt(app)
    const stolen = browser.cookie()
    const stream = await streamOf(browser)
    expect((await browser.signOut()).headers.get('location')).toBe('/sign-in')
    expect(await browser.state()).toBe(401)
    expect((await app.browser().ask('/desk/api/state', { headers: { cookie: stolen } })).status).toBe(401)
    await s.advance('61s')
    expect(await stream.ended).toContain('event: gone')
    // Another browser of the same person stays signed in.
    const other = await neemaAt(app)
    await (await neemaAt(app)).signOut()
    expect(await other.state()).toBe(200)
  })

  it('signs nobody in or out for another site, which may only ask', async () => {
    await using app = await open()
    const foreign = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site', origin: `http://${app.host}` },
    ]
    for (const headers of foreign) {
      const answer = await app.browser().signIn('neema', EXAMPLE_PASSWORDS.neema, { headers })
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    }
    const browser = await neemaAt(app)
    for (const headers of foreign) {
      expect((await browser.signOut(headers)).status).toBe(403)
      const asked = await browser.ask('/sign-out', { headers })
      expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('<form method="post"')])
    }
    expect(await browser.state()).toBe(200)
    expect((await browser.ask('/sign-out')).status).toBe(303)
    expect(await browser.state()).toBe(401)
  })

  it('leads only to the desk and the admin page, which is for those who run the bot', async () => {
    await using app = await open()
    const browser = app.browser()
    for (const path of ['/desk/', '/desk', '/admin/'])
      expect((await browser.ask(path)).headers.get('location')).toMatch(/^\/sign-in\?to=%2F(desk|admin)%2F$/)
    for (const to of ['https://evil.example/', '//evil.example', '/desk/../x'])
      expect((await browser.signIn('baraka', EXAMPLE_PASSWORDS.baraka, { to })).headers.get('location')).toBe('/desk/')
    expect((await browser.ask('/admin/api/state')).status).toBe(401)
    const answer = await browser.signIn('neema', EXAMPLE_PASSWORDS.neema, { to: '/admin/' })
    expect(answer.headers.get('location')).toBe('/admin/')
    expect((await browser.ask('/admin/api/state')).status).toBe(200)
  })

  it('checks five passwords of a name in a minute, also of many that are tried at once', async () => {
    await using app = await open()
    const tries = Array.from({ length: 12 }, (_, n) => app.browser().signIn('Neema', `guess ${n}`))
    const answers = (await Promise.all(tries)).map(({ status }) => status)
    expect(answers.filter((status) => status === 401)).toHaveLength(5)
    expect(answers.filter((status) => status === 429)).toHaveLength(7)
    expect((await app.browser().signIn('neema', EXAMPLE_PASSWORDS.neema)).status).toBe(429)
    expect((await app.browser().signIn('baraka', EXAMPLE_PASSWORDS.baraka)).status).toBe(303)
  })

  it('lets a name try again after a minute, and begins to count again after a right password', () => {
    let now = 0
    const throttle = createThrottle(() => now)
    const tries = (count: number) => Array.from({ length: count }, () => throttle.mayTry('neema'))
    expect(tries(6)).toEqual([true, true, true, true, true, false])
    now = 59_999
    expect(tries(1)).toEqual([false])
    now = 60_000
    expect(tries(4)).toEqual([true, true, true, true])
    throttle.succeeded('NEEMA')
    expect(tries(6)).toEqual([true, true, true, true, true, false])
  })

  it('writes what was typed as text, and neither runs scripts nor can be framed', async () => {
    await using app = await open()
    const answer = await app.browser().signIn('"><script>alert(1)</script>', 'x')
    const html = await answer.text()
    expect(html).not.toContain('<script')
    expect(html).toContain('&#34;&#62;&#60;script')
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; .*frame-ancestors 'none'$/,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('refuses a form that is too large or has no fields', async () => {
    await using app = await open()
    expect((await app.browser().signIn('neema', 'x'.repeat(201))).status).toBe(400)
    expect((await app.browser().signIn('neema', 'x'.repeat(10_000))).status).toBe(413)
    expect((await app.browser().ask('/sign-in', { method: 'POST' })).status).toBe(400)
  })
})

describe('the people of the support-desk template', () => {
  const addPerson = async (args: readonly string[], password: string, DESK_PEOPLE = '') => {
    const added = run(process.execPath, [ADD_PERSON, ...args], { DESK_PEOPLE }, resolve(import.meta.dirname))
    added.child.stdin?.end(`${password}\n`)
    return added.ended
  }

  it('are added by a command, which keeps the others and prints no password', async () => {
    const first = await addPerson(['Neema', 'Mushi', '--admin'], 'a long password')
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(/^DESK_PEOPLE=Neema Mushi:admin:scrypt\.\S+\n$/),
    ])
    expect(first.stdout + first.stderr).not.toContain('a long password')
    const one = first.stdout.trim().replace('DESK_PEOPLE=', '')
    const second = await addPerson(['baraka'], 'another password', one)
    const both = second.stdout.trim().replace('DESK_PEOPLE=', '')
    expect(both.startsWith(`${one},baraka:desk:`)).toBe(true)
    expect((await checkPassword(readPeople(both), 'neema mushi', 'a long password'))?.role).toBe('admin')
    expect((await checkPassword(readPeople(both), 'baraka', 'another password'))?.role).toBe('desk')
    // A new password replaces the old one.
    const changed = await addPerson(['neema', 'mushi'], 'the third password', both)
    const third = readPeople(changed.stdout.trim().replace('DESK_PEOPLE=', ''))
    expect(third.map(({ name }) => name)).toEqual(['baraka', 'neema mushi'])
    expect(await checkPassword(third, 'Neema Mushi', 'a long password')).toBeUndefined()
  })

  it('need a password of ten characters and a name that the variable can hold', async () => {
    for (const [args, password] of [
      [['neema'], 'short'],
      [[], 'a long password'],
      [['nee,ma'], 'a long password'],
      [['nee:ma'], 'a long password'],
    ] as const) {
      const refused = await addPerson(args, password)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
    }
  })

  it('are refused with the place of an entry that cannot be read, and without what it contains', () => {
    const entry = EXAMPLES.DESK_PEOPLE.split(',')[0] ?? ''
    for (const wrong of ['neema:plain password', 'neema:boss:scrypt.1.1.1.a.b', entry.slice(0, -1)])
      expect(() => readPeople(`${entry},${wrong}`)).toThrow(
        /^has an entry that cannot be read, number 2: npm run add-person/,
      )
    expect(() => readPeople(`${entry},${entry.replace('neema', 'NEEMA')}`)).toThrow('names NEEMA twice')
  })

  it.for([
    ['without a secret', { DESK_PEOPLE: EXAMPLES.DESK_PEOPLE }, 'SESSION_SECRET is missing'],
    ['with a short secret', { SESSION_SECRET: 'secret' }, 'SESSION_SECRET must have at least 32 characters'],
    ['without people', { SESSION_SECRET: 'x'.repeat(32) }, 'DESK_PEOPLE is missing'],
    [
      'in production with the example people, even beside an emulator',
      { ...EXAMPLES, NODE_ENV: 'production', SWITCHHOOK_EMULATOR: 'http://127.0.0.1:4747' },
      'DESK_PEOPLE has the people of npm run dev',
    ],
    ['with the example secret for the service itself', EXAMPLES, 'SESSION_SECRET is that of npm run dev'],
  ] as const)('start no bot %s', ([, variables, problem]) => {
    const said = vi.spyOn(console, 'error').mockReturnValue()
    const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`ended with ${code}`)
    })
    const service = {
      SWITCHHOOK_BASE_URL: 'https://s.example',
      SWITCHHOOK_ACCESS_TOKEN: 't',
      SWITCHHOOK_SIGNING_SECRET: 's',
    }
    try {
      expect(() => readEnvironment({ ...service, ...variables })).toThrow('ended with 1')
      expect(said).toHaveBeenCalledWith(expect.stringContaining(problem))
    } finally {
      said.mockRestore()
      exit.mockRestore()
    }
  })
})
