import { describe, expect, it } from 'vitest'
import { oneTimeCode } from '../../src/index.ts'
import { delivery } from '../stores/samples.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { jsonLines, switchhook } from './support.ts'
import { fresh, outboxFolder, REFUSED, UNKNOWN } from './outbox-support.ts'

const { inApp, outbox, attempted, stateOf } = outboxFolder()

const CODE = '004711'

/** A one-time code as the app leaves it on the disk, brought to an end. */
async function codeOnDisk() {
  const body = JSON.stringify({ to: ASHA, type: 'template', template_name: 'login_code', text: '[code withheld]' })
  const code = fresh({ body, via: 'template' })
  await inApp(async (store) => {
    const now = Date.now()
    const opened = await store.openCode({ ...code, lane: `code/${code.id}` }, [code.key], {
      owner: 'app',
      until: now + 10_000,
      now,
    })
    if (opened.found !== 'new') throw new Error('the code was not recorded')
    await store.beginSend(opened.fence, code.id, 'template', now)
    await store.settleSend(opened.fence, code.id, UNKNOWN, { now: now, goOn: false })
  })
  return code
}

describe('switchhook outbox hold', () => {
  it('holds open sends as a restore does, until `outbox resume` lets them go [F-105]', async () => {
    const one = fresh()
    await inApp((store) => store.openSend(one))
    const held = await outbox('hold')
    expect([held.code, held.stdout]).toEqual([0, ''])
    expect(held.stderr).toMatch(/^1 send is held.*switchhook outbox resume$/m)
    expect(await inApp((store) => store.findSend({ id: one.id }))).toMatchObject({ state: 'held', code: 'restored' })
    expect(JSON.parse((await outbox('hold', '--json')).stdout)).toEqual({ held: 1 })
    await outbox('resume')
    expect(await inApp((store) => store.findSend({ id: one.id }))).toMatchObject({ state: 'ready' })
  })
})

describe('switchhook outbox show', () => {
  it('shows a send whole: key, times, bodies in their form, fallback, statuses with times, why, what can be done', async () => {
    const fallback = { key: 'sh1_f:fallback', body: '{"to":"255712000101","type":"template","template_name":"ready"}' }
    const body = '{"to":"255712000101","type":"text","text":"habari"}'
    const one = await attempted(fresh({ body, fallback, ref: '7781' }), UNKNOWN)
    const { code, stdout, stderr } = await outbox('show', one.id)
    expect([code, stderr]).toEqual([0, ''])
    const rows = new Map(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/) as [string, string]),
    )
    const at = expect.stringMatching(/^1, the first at 20\d\d-[^,]*Z$/) as string
    expect(Object.fromEntries(rows)).toMatchObject({
      id: one.id,
      state: 'unknown',
      why: 'no answer came, so it may be on the phone or not: look there, then say which',
      'can be done': `switchhook outbox resolve ${one.id} --accepted | --resend | --drop`,
      key: one.key,
      customer: '…101',
      attempts: at,
      reason: '[9 characters]',
      body: '{"to":"…101","type":"text","text":"[6 characters]"}',
      fallback: '{"to":"…101","type":"template","template_name":"ready"}',
      'fallback key': 'sh1_f:fallback',
    })
  })

  it('shows later statuses of the service, each with its time [B SEND-25]', async () => {
    const one = await attempted(fresh(), {
      as: 'accepted',
      messageId: 'm',
      upstreamId: undefined,
      possiblyTwice: false,
    })
    await inApp(async (store) => {
      await store.accept(delivery())
      const [stored] = await store.pending(1)
      const about = { number: 'default', messageId: 'm', upstreamId: undefined }
      const statuses = [
        { ...about, status: 'delivered', reason: undefined, at: Date.UTC(2026, 2, 4) },
        { ...about, status: 'failed', reason: '131026: +255 712-000 101 is not reachable', at: Date.UTC(2026, 2, 5) },
      ]
      const sorted = { state: 'ingested', items: [], windows: [], statuses } as const
      await store.ingest(stored?.seq ?? 0, sorted, Date.now())
    })
    const [shown] = jsonLines((await outbox('show', one.id, '--json')).stdout)
    expect(shown).toMatchObject({
      state: 'accepted',
      messageId: 'm',
      statuses: [
        { status: 'delivered', at: '2026-03-04T00:00:00.000Z' },
        { status: 'failed', at: '2026-03-05T00:00:00.000Z', reason: '131026: [33 characters]' },
      ],
      possible: [],
    })
    expect((await outbox('show', one.id)).stdout).toMatch(/^status +2026-03-04T00:00:00\.000Z delivered$/m)
    expect((await outbox('show', one.id, '--reveal')).stdout).toContain('+255 712-000 101 is not reachable')
  })

  it('says of a held send what its number’s queue waits for [B ERR-05]', async () => {
    const move = { stopped: true, closedUntil: Date.now() + 60_000, inARow: 1, code: 'account_suspended', reason: 'no' }
    const held = { as: 'held', code: 'account_suspended', reason: 'no' } as const
    const { id } = await attempted(fresh({ number: 'retail' }), held, { move })
    expect((await outbox('show', id)).stdout).toContain('the queue of retail is stopped: the account is suspended')
  })
})

describe('switchhook outbox resolve', () => {
  it('settles an unknown send as one says: it arrived, it goes out again, it never does [B IDEM-07, F-76]', async () => {
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

  it('prints one line of JSON on stdout with --json', async () => {
    const { id } = await attempted(fresh(), REFUSED)
    const { code, stdout, stderr } = await outbox('resolve', id, '--resend', '--json')
    expect([code, stderr, jsonLines(stdout)]).toEqual([
      0,
      '',
      [{ id, was: 'refused', state: 'ready', possiblyTwice: false }],
    ])
  })

  it('exits with 1 if the state does not allow it, and says the state and what is possible', async () => {
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

  it('does not send a one-time code again, and says why [B OTP-06, F-84]', async () => {
    const { id } = await codeOnDisk()
    const { code, stderr } = await outbox('resolve', id, '--resend')
    expect([code, stderr]).toEqual([
      1,
      `switchhook: --resend is not possible: ${id} is unknown, a one-time code, which is kept nowhere and cannot go out again: the app issues a new one. Possible: switchhook outbox resolve ${id} --accepted | --drop\n`,
    ])
    const shown = await outbox('show', id, '--reveal')
    expect(shown.stdout).toMatch(/^one-time code +its text is kept nowhere$/m)
    expect(shown.stdout).toContain('[code withheld]')
    expect(await outbox('resolve', id, '--drop')).toMatchObject({ code: 0 })
  })

  it('lets one send of a restored database go, as it was; what was for later is still for later', async () => {
    const [open, later] = [fresh(), fresh({ dueAt: Date.UTC(2099, 0, 1) })]
    const [arrived, attempting] = [fresh(), fresh({ fallback: { key: 'sh1_g:fallback', body: '{}' } })]
    await inApp(async (store) => {
      await store.openSend(attempting)
      const now = Date.now()
      const [due] = (await store.claimSends({ owner: 'app', limit: 1, now, leaseMs: 10_000 })).held
      if (due) await store.beginSend(due.fence, attempting.id, 'freeform', now)
      for (const one of [open, later, arrived]) await store.openSend(one)
    })
    await inApp(async () => {}, { restored: true })
    expect((await outbox('show', open.id)).stdout).toContain('brought back from a backup')
    for (const { id } of [open, later, attempting]) expect((await outbox('resolve', id, '--resend')).code).toBe(0)
    expect((await outbox('resolve', arrived.id, '--accepted')).code).toBe(0)
    const rows = await inApp((store) =>
      Promise.all([open, later, arrived, attempting].map(({ id }) => store.findSend({ id }))),
    )
    expect(rows).toMatchObject([
      { state: 'ready', possiblyTwice: true },
      { state: 'scheduled', possiblyTwice: true },
      { state: 'accepted', possiblyTwice: false },
      { state: 'ready', possiblyTwice: true, attempts: 0, firstAttemptAt: undefined, fallback: undefined },
    ])
    const due = await inApp((store) => store.claimSends({ owner: 'app', limit: 9, now: Date.now(), leaseMs: 10_000 }))
    expect(new Set(due.held.map(({ work }) => work.send.id))).toEqual(new Set([open.id, attempting.id]))
  })
})

describe('beside the running app', () => {
  it('sends again within moments what one asks for: the service knows it as the same, and it is marked [B IDEM-07, F-76]', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}), {
      options: { onUnknown: 'hold' },
    })
    await world.emulator.customer(ASHA).says('habari')
    await world.settled()
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    const result = await world.bot.to(ASHA).send('ready', { key: 'k' })
    expect(result).toMatchObject({ via: 'stored', send: { state: 'unknown' } })
    const id = 'send' in result ? result.send.id : ''
    const resolving = switchhook(['outbox', 'resolve', id, '--resend', '--database', world.database])
    expect(await resolving).toMatchObject({ code: 0 })
    await world.until(async () => (await world.counts()).sends['accepted'] === 1)
    expect(await world.replies()).toEqual(['ready'])
    const again = await world.bot.to(ASHA).send('ready', { key: 'k' })
    expect(again).toMatchObject({ send: { id, state: 'accepted', possiblyTwice: true } })
  })

  it('shows no phone, text, code or token, though the service repeats them all [C B OTP-06 AUTH-07, F-83, F-86, F-87]', async () => {
    const token = 'token-canary-0123456789-0123456789-abcdef'
    const echo: typeof fetch = async (_url, init) => {
      const asked = typeof init?.body === 'string' ? init.body : ''
      const message = `${asked} ${JSON.stringify([...new Headers(init?.headers)])}`
      return Response.json({ code: 'validation_error', message }, { status: 422 })
    }
    await using world = await openWorld((bot) => bot.otherwise(() => {}), {
      options: { accessToken: token, fetch: echo },
    })
    await world.bot
      .to(ASHA)
      .send('canary of a text', { key: 'k' })
      .catch(() => {})
    await world.bot
      .to(ASHA)
      .send(oneTimeCode('login_code', 'sw', CODE), { key: 'c' })
      .catch(() => {})
    const run = (...args: string[]) => switchhook(['outbox', ...args, '--database', world.database])
    const lines = jsonLines((await run('ls', '--json')).stdout)
    expect(lines).toMatchObject([{ state: 'refused' }, { state: 'refused' }])
    const shown = await Promise.all([
      run('ls'),
      run('ls', '--json'),
      ...lines.flatMap(({ id }) => [run('show', String(id)), run('show', String(id), '--json')]),
    ])
    const all = shown.map(({ stdout, stderr }) => stdout + stderr).join('\n')
    for (const secret of [ASHA, 'canary of a text', CODE, token]) expect(all).not.toContain(secret)
    const revealed = await Promise.all(lines.map(({ id }) => run('show', String(id), '--reveal')))
    for (const secret of [CODE, token]) expect(JSON.stringify(revealed)).not.toContain(secret)
  })
})
