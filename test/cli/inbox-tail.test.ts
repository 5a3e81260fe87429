import { describe, expect, it } from 'vitest'
import { ASHA, openWorld } from '../support/world.ts'
import { alone, DEAD, inboxFolder } from './inbox-support.ts'
import { jsonLines, startSwitchhook } from './support.ts'

const { inbox, follow, came, handled } = inboxFolder()

const started = /Following the inbox/

describe('switchhook inbox tail', () => {
  it('tells beside the running app what comes and what becomes of it, until it is interrupted', async () => {
    await using world = await openWorld((bot) => bot.hears('hours', (ctx) => ctx.reply('9 to 17')))
    await using tail = startSwitchhook(['inbox', 'tail', '--json', '--database', world.database])
    await tail.heard('stderr', started)
    await world.emulator.customer(ASHA).says('hours')
    await tail.heard('stdout', /"what":"done".*\n/)
    tail.child.kill('SIGINT')
    const { code, stdout, stderr } = await tail.ended
    expect([code, stderr.split('\n')]).toEqual([130, ['Following the inbox; Ctrl-C ends it.', '']])
    const message = jsonLines(stdout).filter(({ event }) => event === 'message.received')
    expect(message[0]).toMatchObject({ what: 'received', subscription: 'default', id: expect.any(String) })
    expect(message.at(-1)).toMatchObject({ what: 'done', customer: '…101', attempts: 1, number: 'default' })
    expect(stdout).not.toContain(ASHA)
  })

  it('tells nothing of what stood there before, until somebody puts it back [F-62]', async () => {
    const seq = await came([alone()])
    await handled(DEAD)
    await using tail = follow()
    await tail.heard('stderr', started)
    const fresh = await came([], { event: 'order.paid' })
    await tail.heard('stdout', /ignored\n/)
    await inbox('retry', String(seq))
    await tail.heard('stdout', /stored.*\n/)
    await handled({ as: 'dead', reason: 'fact_missing: orderId' })
    await tail.heard('stdout', /dead.*\n/)
    tail.child.kill('SIGTERM')
    const { code, stdout } = await tail.ended
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    // A look that falls between the claim and the settlement sees the item running.
    const rows = lines.map((line) => line.split(/ {2,}/).slice(1)).filter(([, , what]) => what !== 'running')
    expect(rows).toEqual([
      [String(fresh), 'order.paid', 'received'],
      [String(fresh), 'order.paid', 'ignored'],
      [String(seq), 'message.received', 'stored', '…101'],
      [String(seq), 'message.received', 'dead', '…101', 'attempt 1', 'fact_missing: orderId'],
    ])
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z /)
  })

  it('ends quietly when its reader goes away', async () => {
    await came([alone()])
    await using tail = follow()
    await tail.heard('stderr', started)
    tail.child.stdout?.destroy()
    await came([alone()])
    expect(await tail.ended).toMatchObject({ code: 0, stderr: 'Following the inbox; Ctrl-C ends it.\n' })
  })
})
