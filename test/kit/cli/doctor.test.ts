import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { examine } from '../../../src/kit/cli/doctor/doctor.ts'
import { clock } from '../../../src/kit/cli/doctor/service-findings.ts'
import type { Setup } from '../../../src/kit/cli/doctor/finding.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { CERTIFICATE, KEY } from '../../support/certificate.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/free-port.ts'
import { plainReceiver } from '../verify/receiver.ts'
import { switchhook } from './support.ts'

const TOKEN = 'token-canary-4711-0123456789'
const SECRET = 'whsec_canary_4712_0123456789'

let folder = ''
let emulator: Emulator
beforeEach(async () => {
  folder = temporaryFolder()
  emulator = await createEmulator({ token: TOKEN, secret: SECRET })
})
afterEach(() => emulator.close())

const file = () => join(folder, 'switchhook.db')

function healthy(): Record<string, string> {
  return {
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: TOKEN,
    SWITCHHOOK_SIGNING_SECRET: SECRET,
    SWITCHHOOK_DATABASE: file(),
  }
}

/** The finding with this id for a set-up that is healthy except for these variables. */
async function found(id: string, environment: Record<string, string | undefined> = {}, more: Partial<Setup> = {}) {
  const setup = { env: { ...healthy(), ...environment }, prod: false, webhook: undefined }
  const one = (await examine({ ...setup, ...more })).find((finding) => finding.id === id)
  return one && `${one.state}: ${one.says}${one.fix === undefined ? '' : `; ${one.fix}`}`
}

/** Another program at the address, such as a proxy or a wrong app. */
const answering = async (status: number) =>
  (await listenOn((_, response) => response.writeHead(status, { location: '/login' }).end())).url

describe('switchhook doctor', () => {
  it('finds nothing bad in a healthy set-up, and exits with 0', async () => {
    const { url } = await plainReceiver()
    const args = ['doctor', '--webhook', url.href]
    const { code, stdout } = await switchhook(args, healthy(), folder)
    expect(stdout).not.toMatch(/^bad/m)
    expect(stdout).toMatch(/^ok +service +it accepts the token and lists templates +-$/m)
    expect(stdout).toMatch(/^ok +clock +this machine's clock agrees with the service's +-$/m)
    expect(stdout).toMatch(
      /^doubt +webhook +it refuses an unsigned delivery with 401, but the address is not public https/m,
    )
    expect(code).toBe(0)
  })

  it('notes that the agent answers too, and that missed events cannot be fetched later [B GEN-13, R GEN-15]', async () => {
    const { stdout } = await switchhook(['doctor'], healthy(), folder)
    expect(stdout).toMatch(/^note +agent .* answers the same messages as the app;/m)
    expect(stdout).toMatch(
      /^note +missed-events +missed events cannot be fetched later: after 20 failed deliveries in a row/m,
    )
  })

  it('never shows a secret or a token, however wrong it is [AUTH-07]', async () => {
    for (const around of [
      (it: string) => it,
      (it: string) => `"${it}"`,
      (it: string) => ` ${it}\n`,
      (it: string) => `Bearer ${it} x`,
    ]) {
      const environment = {
        ...healthy(),
        SWITCHHOOK_ACCESS_TOKEN: around(TOKEN),
        SWITCHHOOK_SIGNING_SECRET: around(SECRET),
        SWITCHHOOK_BASE_URL: emulator.url.replace('http://', 'http://me:pass-canary@'),
      }
      const { stdout, stderr } = await switchhook(['doctor', '--prod'], environment, folder)
      expect(stdout + stderr).not.toContain('canary')
    }
  })

  it('with --prod treats settings for a developer’s machine as bad', async () => {
    const environment = { SWITCHHOOK_SIGNING_SECRET: 'short' }
    expect(await found('signing-secret', environment)).toMatch(/^doubt: .* fewer than 16 characters/)
    expect(await found('signing-secret', environment, { prod: true })).toMatch(/^bad: .* fewer than 16 characters/)
    expect(await found('base-url', {}, { prod: true })).toMatch(/^bad: .* is this machine, so no send reaches a phone/)
    expect(await found('service', {}, { prod: true })).toMatch(/^bad: an emulator answers there/)
    expect(await found('access-token', { SWITCHHOOK_ACCESS_TOKEN: '' }, { prod: true })).toMatch(/^bad: /)
    expect(await found('environment', {}, { prod: true })).toMatch(/^bad: NODE_ENV is not production/)
    expect(await found('database', { SWITCHHOOK_DATABASE: ':memory:' }, { prod: true })).toMatch(
      /^bad: the database is in memory/,
    )
    expect(await found('webhook', {}, { prod: true })).toMatch(/^doubt: not checked/)
  })

  it.for([
    [{ SWITCHHOOK_SIGNING_SECRET: '"whsec_0123456789abcdef"' }, 'signing-secret', /^bad: .*quotes/],
    [{ SWITCHHOOK_SIGNING_SECRET: 'whsec_0123456789abcde1, whsec_0123456789abcde2' }, 'signing-secret', undefined],
    [{ SWITCHHOOK_ACCESS_TOKEN: `Bearer ${TOKEN}` }, 'access-token', /^bad: .*"Bearer"/],
    [{ SWITCHHOOK_ACCESS_TOKEN: `${TOKEN}\n` }, 'access-token', undefined],
  ] as const)('finds a mistake in %j [SIG-06 SIG-08]', async ([environment, id, finding]) => {
    const one = await found(id, environment)
    if (finding === undefined) expect(one).toBeUndefined()
    else expect(one).toMatch(finding)
  })

  const AWAY = { SWITCHHOOK_BASE_URL: 'https://service.invalid' }

  it.for([
    [{}, /^ok: .*role both, header prefix X-Service-, and sends to an emulator/],
    [{ SWITCHHOOK_SIGNING_SECRET: '' }, /^bad: .*SWITCHHOOK_SIGNING_SECRET.*; the app does not start/],
    [{ SWITCHHOOK_BASE_URL: 'service.example' }, /^bad: baseUrl: expected a full address/],
    [{ SWITCHHOOK_ROLE: 'worker' }, /^bad: .*role/],
    [AWAY, /^bad: .*every send reaches a real phone/],
    [{ ...AWAY, SWITCHHOOK_ALLOWED_RECIPIENTS: '255712000101' }, /^ok: .*sends to 1 allowed recipients/],
    [{ ...AWAY, NODE_ENV: 'production', SWITCHHOOK_ROLE: 'work' }, /^ok: .*role work.*sends to everybody/],
  ] as const)('checks the options of %j as a start of the app does', async ([environment, finding]) => {
    expect(await found('options', environment)).toMatch(finding)
  })

  it('explains what to fix by the code of the service’s answer', async () => {
    expect(await found('service', { SWITCHHOOK_ACCESS_TOKEN: 'old' })).toMatch(
      /^bad: .*not_authenticated.*Copy the token from Developer, Credentials/,
    )
    expect(await found('service', { SWITCHHOOK_PHONE_NUMBER_ID: '4711' })).toMatch(
      /number_not_for_token.*phoneNumberId was 4711/,
    )
    await emulator.account.set({ plan: { api: false } })
    expect(await found('service')).toMatch(/plan_feature_locked.*the team's plan must grant API access/)
    const gone = `http://127.0.0.1:${await freePort()}`
    expect(await found('service', { SWITCHHOOK_BASE_URL: gone })).toMatch(/^bad: .*; is SWITCHHOOK_BASE_URL right/)
  })

  it.for([
    [4, 'ok'],
    [-6, 'doubt'],
    [119, 'doubt'],
    [-121, 'bad'],
  ] as const)('reports of a clock that is %i s ahead: %s [SIG-05]', ([seconds, state]) => {
    const theirs = Date.UTC(2026, 10, 20)
    expect(clock(new Date(theirs).toUTCString(), theirs + seconds * 1_000).state).toBe(state)
    expect(clock(null, theirs).state).toBe('note')
  })

  it('shows no password of an address that is mistyped, and makes no file of it', async () => {
    for (const address of [
      "'postgres://u:hunter2@h/db'",
      'jdbc:postgresql://h/db?password=hunter2',
      'u:hunter2@h/db',
    ]) {
      const said = await found('database', { SWITCHHOOK_DATABASE: address })
      expect(said).toMatch(/^bad: database: expected a file.*; correct SWITCHHOOK_DATABASE$/)
      expect(said).not.toContain('hunter2')
      for (const args of [
        ['inbox', 'ls'],
        ['backup', 'copy.db'],
        ['backup', address],
        ['payload', 'export', '--out', address],
      ]) {
        const { code, stdout, stderr } = await switchhook(args, { ...healthy(), SWITCHHOOK_DATABASE: address }, folder)
        expect(code, args.join(' ')).not.toBe(0)
        expect(stdout + stderr).not.toContain('hunter2')
      }
    }
    await openSqlite(file()).close()
    expect((await switchhook(['backup', 'u:hunter2@h.db'], healthy(), folder)).code).not.toBe(0)
    expect(readdirSync(folder).join(' ')).not.toContain('hunter2')
  })

  it('checks the database without creating, fixing or writing one', async () => {
    const before = await found('database')
    expect(before).toMatch(/switchhook\.db will be created when the app starts$/)
    expect(await found('database', { SWITCHHOOK_DATABASE: join(folder, 'none/switchhook.db') })).toMatch(
      /^bad: the folder .*none does not exist; create it/,
    )
    writeFileSync(
      file(),
      'shopping list, no database, and long enough to be read as what it is: a text of more than a hundred bytes.',
    )
    expect(await found('database')).toMatch(/^bad: .*cannot be opened/)
    // The app's start fixes that.
    writeFileSync(file(), '')
    expect(await found('database')).toMatch(/^doubt: .*older release/)
    rmSync(file())
    await openSqlite(file()).close()
    expect(await found('database')).toBe(`ok: ${file()}`)
  })

  it('finds damage of any page on a copy, and leaves the database and no copy behind', async () => {
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    await openSqlite(file()).close()
    const raw = new Database(file())
    const at = raw.prepare("SELECT pageno FROM dbstat WHERE name = 'sends_ref'").pluck().get() as number
    raw.close()
    const bytes = readFileSync(file())
    bytes.fill(7, (at - 1) * 4_096, at * 4_096)
    writeFileSync(file(), bytes)
    expect(await found('database')).toMatch(/^bad: .*switchhook\.db is damaged: .*#a-damaged-database$/)
    expect(readFileSync(file()).equals(bytes)).toBe(true)
    expect(readdirSync(folder).filter((name) => !name.startsWith('switchhook.db'))).toEqual([])
  })

  it.for([
    [200, /^bad: .*anybody can post messages/],
    [403, /^doubt: .*a firewall, a CSRF check/],
    [404, /^bad: .*nothing is mounted at this path/],
    [503, /^bad: .*was the body parsed before the bot read it/],
  ] as const)('explains a webhook that answers %i to an unsigned POST', async ([status, finding]) => {
    expect(await found('webhook', {}, { webhook: await answering(status) })).toMatch(finding)
  })

  it('reports a webhook with an untrusted certificate, as the service would refuse it', async () => {
    const { port } = await listenOn(createServer({ cert: CERTIFICATE, key: KEY }, (_, response) => response.end()))
    expect(await found('webhook', {}, { webhook: `https://127.0.0.1:${port}/` })).toMatch(
      /^bad: its certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    )
  })

  it('reports a webhook that is not an address, is out of reach, or cannot be registered', async () => {
    expect(await found('webhook', {}, { webhook: 'shop.example' })).toMatch(
      /^bad: --webhook is not an http or https address/,
    )
    expect(await found('webhook', {}, { webhook: `http://127.0.0.1:${await freePort()}/` })).toMatch(
      /^bad: nothing answers there \(ECONNREFUSED\)/,
    )
    const local = { webhook: await answering(401) }
    expect(await found('webhook', {}, local)).toMatch(/^doubt: .*not public https/)
    expect(await found('webhook', {}, { ...local, prod: true })).toMatch(/^bad: .*not public https/)
  })
})
