import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { API_ERRORS } from '../../../src/service/contract.ts'
import { REMEDIES } from '../../../src/view/send-states.ts'
import { ASHA } from '../../support/world.ts'
import { fresh, outboxFolder, REFUSED, UNKNOWN } from './outbox-support.ts'
import { jsonLines } from './support.ts'

const { file, folder, inApp, outbox, attempted, stateOf } = outboxFolder()

const HOUR = 3_600_000
const PHONE = '255712345678'

describe('switchhook outbox ls', () => {
  it('prints an object a line with --json, filtered by state, number and customer, up to the limit', async () => {
    const one = await attempted(fresh({ number: 'retail', customer: PHONE, ref: `r-${PHONE}` }), UNKNOWN)
    const two = await attempted(fresh({ number: 'retail' }), UNKNOWN)
    const three = await attempted(fresh(), REFUSED)
    const ids = async (...args: string[]) =>
      jsonLines((await outbox('ls', '--json', ...args)).stdout).map(({ id }) => id)
    expect(await ids()).toEqual([three.id, two.id, one.id])
    expect(await ids('--limit', '2')).toEqual([three.id, two.id])
    expect(await ids('--state', 'unknown')).toEqual([two.id, one.id])
    expect(await ids('--number', 'retail', '--customer', PHONE)).toEqual([one.id])
    const [line] = jsonLines((await outbox('ls', '--json', '--customer', PHONE)).stdout)
    expect(line).toEqual({
      kind: 'send',
      id: one.id,
      state: 'unknown',
      number: 'retail',
      customer: '…678',
      via: 'freeform',
      createdAt: new Date(one.createdAt).toISOString(),
      ageSeconds: expect.any(Number),
      attempts: 1,
      ref: 'r-…678',
      possiblyTwice: false,
    })
  })

  it('shows the closed queues first: since when and why, what to do, paused until when [B ERR-05]', async () => {
    const now = Date.now()
    const stopped = {
      stopped: true,
      closedUntil: now + HOUR,
      inARow: 1,
      code: 'not_authenticated',
      reason: 'bad token',
    }
    const paused = { ...stopped, stopped: false, code: 'rate_limited', reason: 'slow down' }
    const postponed = { as: 'postponed', code: 'not_authenticated', reason: 'bad token' } as const
    const one = await attempted(fresh({ number: 'retail' }), postponed, { move: stopped })
    const later = { as: 'ready', at: now + HOUR, code: 'rate_limited', reason: 'slow down' } as const
    await attempted(fresh({ number: 'wholesale' }), later, { move: paused })
    const lines = jsonLines((await outbox('ls', '--json', '--number', 'retail')).stdout)
    expect(lines).toMatchObject([
      {
        kind: 'queue',
        number: 'retail',
        state: 'stopped',
        code: 'not_authenticated',
        toDo: expect.stringContaining('the token is no longer valid'),
      },
      { kind: 'send', id: one.id, state: 'held' },
    ])
    expect((await outbox('ls')).stdout).toMatch(/^wholesale +pausing/m)
  })

  it('has a sentence for every answer that stops a queue [B ERR-05]', () => {
    const stops = Object.entries(API_ERRORS).flatMap(([code, rule]) => ('stops' in rule ? [code] : []))
    expect(Object.keys(REMEDIES).sort()).toEqual([...stops, 'no_access_token'].sort())
  })

  it('reports that a restored database holds its sends, and what to do', async () => {
    await inApp((store) => store.openSend(fresh()))
    await inApp(async () => {}, { restored: true })
    expect((await outbox('ls')).stderr).toMatch(/restored backup. It holds 1 of its sends.*`switchhook outbox resume`/)
    expect(jsonLines((await outbox('ls', '--json')).stdout)[0]).toEqual({ kind: 'restored', held: 1 })
  })
})

/** A one-time code as the app leaves it on the disk, brought to an end. */
async function codeOnDisk() {
  const body = JSON.stringify({ to: ASHA, type: 'template', template_name: 'login_code', text: '[code withheld]' })
  const code = fresh({ body, via: 'template' })
  await inApp(async (store) => {
    const now = Date.now()
    const opened = await store.openCode({ ...code, lane: `code/${code.id}` }, [code.key], {
      processName: 'app',
      leaseMs: 10_000,
      now,
    })
    if (opened?.found !== 'new') throw new Error('the code was not recorded')
    await store.beginSend(opened.fence, code.id, 'template', now)
    await store.settleSend(opened.fence, code.id, UNKNOWN, { now: now, goOn: false })
  })
  return code
}

it('switchhook outbox hold holds open sends as a restore does, until `outbox resume` releases them [F-105]', async () => {
  const one = fresh()
  await inApp((store) => store.openSend(one))
  expect(jsonLines((await outbox('hold', '--json')).stdout)).toEqual([{ held: 1 }])
  expect(await inApp((store) => store.findSend({ id: one.id }))).toMatchObject({ state: 'held', code: 'restored' })
  await outbox('resume')
  expect(await stateOf(one.id)).toBe('ready')
})

it('switchhook outbox show shows everything about a send: times, bodies in their form, fallback, reason, possible actions', async () => {
  const fallback = { key: 'sh1_f:fallback', body: '{"to":"255712000101","type":"template","template_name":"ready"}' }
  const body = '{"to":"255712000101","type":"text","text":"habari"}'
  const one = await attempted(fresh({ body, fallback, ref: '7781' }), UNKNOWN)
  const { code, stdout, stderr } = await outbox('show', one.id, '--json')
  expect([code, stderr]).toEqual([0, ''])
  expect(jsonLines(stdout)).toMatchObject([
    {
      id: one.id,
      state: 'unknown',
      why: 'no answer arrived, so it may be on the phone or not: check the phone, then resolve it',
      toDo: `switchhook outbox resolve ${one.id} --accepted | --resend | --drop`,
      customer: '…101',
      attempts: 1,
      reason: '[9 characters]',
      body: { to: '…101', type: 'text', text: '[6 characters]' },
      fallback: { body: { template_name: 'ready' } },
    },
  ])
  // A key is a hash, and the app may have made it of the customer's number.
  for (const key of [one.key, 'sh1_f:fallback']) {
    expect(stdout).not.toContain(`"${key}"`)
    expect((await outbox('show', one.id, '--reveal', '--json')).stdout).toContain(`"${key}"`)
  }
})

describe('switchhook outbox resolve', () => {
  it('settles an unknown send as chosen: it arrived, it is sent again, it is never sent [B IDEM-07, F-76]', async () => {
    for (const [flag, state, words] of [
      ['--accepted', 'accepted', 'it counts as accepted'],
      ['--resend', 'ready', 'it goes out now, once the app runs, marked as possibly sent twice'],
      ['--drop', 'dropped', 'it is settled for good and is never sent'],
    ] as const) {
      const { id } = await attempted(fresh(), UNKNOWN)
      const resolved = await outbox('resolve', id, flag)
      expect(resolved).toEqual({ code: 0, stdout: '', stderr: `${id} was unknown; ${words}.\n` })
      expect(await stateOf(id)).toBe(state)
    }
  })

  it('exits with 1 if the state does not allow it, and names the state and the possible choices', async () => {
    const { id } = await attempted(fresh(), REFUSED)
    const { code, stdout, stderr } = await outbox('resolve', id, '--accepted')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `switchhook: --accepted is not possible: ${id} is refused. Possible: switchhook outbox resolve ${id} --resend | --drop\n`,
    )
    expect(await stateOf(id)).toBe('refused')
    await outbox('resolve', id, '--drop')
    const again = await outbox('resolve', id, '--drop')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${id} is dropped. Possible: nothing`)])
  })

  it('does not send a one-time code again, and explains why [B OTP-06, F-84]', async () => {
    const { id } = await codeOnDisk()
    const { code, stderr } = await outbox('resolve', id, '--resend')
    expect([code, stderr]).toEqual([
      1,
      `switchhook: --resend is not possible: ${id} is unknown, a one-time code: it is not stored and cannot go out again, so issue a new one. Possible: switchhook outbox resolve ${id} --accepted | --drop\n`,
    ])
    const shown = await outbox('show', id, '--reveal')
    expect(shown.stdout).toMatch(/^code withheld +yes$/m)
    expect(shown.stdout).toContain('[code withheld]')
    expect(await outbox('resolve', id, '--drop')).toMatchObject({ code: 0 })
  })
})

/** A database as a backup brings it back: two open sends of two numbers, held at its start. */
async function restored(): Promise<void> {
  await inApp(async (store) => {
    await store.openSend(fresh({ number: 'retail' }))
    await store.openSend(fresh({ number: 'wholesale' }))
  })
  await inApp(async () => {}, { restored: true })
}

const states = () => inApp(async (store) => (await store.counts()).sends)

it('switchhook outbox resume releases the sends of a restored database, one number’s or all', async () => {
  await restored()
  expect(await states()).toEqual({ held: 2 })
  const first = await outbox('resume', 'retail', '--json')
  expect(first).toMatchObject({ code: 0, stdout: '{"queues":[],"held":0,"restored":1}\n', stderr: '' })
  expect(await states()).toEqual({ held: 1, ready: 1 })
  const second = await outbox('resume')
  expect(second).toMatchObject({ code: 0, stdout: '' })
  expect(second.stderr).toMatch(/^Sends of the restored database that go out, as possibly sent twice: 1\.$/m)
  expect(await states()).toEqual({ ready: 2 })
  expect(await outbox('resume', 'retail')).toMatchObject({ code: 0, stderr: 'Nothing was held for retail.\n' })
})

it('switchhook outbox makes no database of an empty file, and migrates none under an app of an older release [F-57]', async () => {
  writeFileSync(file(), '')
  const empty = await outbox('resume')
  expect([empty.code, readFileSync(file()).length, readdirSync(folder())]).toEqual([1, 0, ['switchhook.db']])
  rmSync(file())
  await inApp(async () => {})
  const raw = new Database(file())
  raw.pragma('user_version = 0')
  raw.close()
  const { code, stderr } = await outbox('resume')
  expect([code, stderr]).toEqual([1, expect.stringContaining('the app brings it up to date as it starts')])
})
