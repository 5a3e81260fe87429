import { describe, expect, it } from 'vitest'
import { AttemptOver } from '../../src/bot/switchhook.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'
import { openWorld as openRealWorld } from '../support/world.ts'

describe('a lane', () => {
  it('handles one customer one at a time and in order, and others meanwhile [R DEL-03]', async () => {
    const log: string[] = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => {
        const { text } = ctx.message
        log.push(`begin ${text}`)
        if (text === 'first') await gate
        log.push(`end ${text}`)
      }),
    )
    await world.emulator.customer(ASHA).says('first')
    await world.until(() => log.includes('begin first'))
    await world.emulator.customer(ASHA).says('second')
    await world.emulator.customer(JUMA).says('other')
    await world.until(() => log.includes('end other'))
    expect(log).not.toContain('begin second')
    release()
    await world.until(() => log.includes('end second'))
    expect(log).toEqual(['begin first', 'begin other', 'end other', 'end first', 'begin second', 'end second'])
  })

  it('lets the others continue while one handler hangs, and cuts it off at its deadline [F-56]', async () => {
    const seen: unknown[] = []
    await using world = await openRealWorld(
      (bot) =>
        bot.otherwise(async (ctx) => {
          if (ctx.message.text !== 'hang') return void seen.push(ctx.message.text)
          if (ctx.attempt > 1) return void seen.push(`attempt ${ctx.attempt}`)
          await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
          // It runs on after its end: nothing that it does counts.
          const late = await ctx.reply('a zombie').catch((error: unknown) => error)
          seen.push(late)
        }),
      { options: { attempts: { deadline: 100 } } },
    )
    await world.emulator.customer(ASHA).says('hang')
    await world.emulator.customer(JUMA).says('hi')
    await world.until(() => seen.length === 3)
    expect(seen).toContain('hi')
    expect(seen).toContain('attempt 2')
    expect(seen.find((one) => one instanceof AttemptOver)).toMatchObject({ code: 'attempt_over' })
    expect(await world.replies()).toEqual([])
  })
})

describe('a failing handler', () => {
  it('becomes a dead letter after its last attempt, is kept, and the next message is handled [F-56]', async () => {
    const last: boolean[] = []
    await using world = await openWorld(
      (bot) => {
        bot.hears('poison', (ctx) => {
          last.push(ctx.lastAttempt)
          throw new Error('always')
        })
        bot.otherwise((ctx) => ctx.reply('fine'))
      },
      { options: { attempts: { max: 3 } } },
    )
    await world.emulator.customer(ASHA).says('poison')
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 1)
    await world.settled()
    expect(last).toEqual([false, false, true])
    expect((await world.counts()).items).toEqual({ dead: 1, done: 1 })
    expect(world.lines.some((line) => line.level === 'error' && line.message?.includes('dead letter'))).toBe(true)
  })

  it('fails with a reply that nobody awaited, and is run again', async () => {
    let runs = 0
    await using world = await openWorld((bot) =>
      bot.otherwise((ctx) => {
        runs++
        void ctx.reply(runs === 1 ? ' ' : 'fixed')
      }),
    )
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['dead'] === 1)
    expect(runs).toBe(1)
    expect(world.lines.find((line) => line.level === 'error')?.about).toMatchObject({
      reason: expect.stringContaining('text: is required'),
    })
  })
})

it('statuses give each of several handlers its own progress: a finished one does not run again', async () => {
  const runs = { steady: 0, shaky: 0 }
  await using world = await openWorld((bot) => {
    bot.otherwise((ctx) => ctx.reply('hi'))
    bot.on('message.status:delivered', () => void runs.steady++)
    bot.on('message.status:delivered', () => {
      if (++runs.shaky < 3) throw new Error('shaky')
    })
  })
  await world.emulator.customer(ASHA).says('hi')
  await world.until(() => runs.shaky === 3)
  await world.settled()
  expect(runs).toEqual({ steady: 1, shaky: 3 })
})

it('a stop releases an attempt that it cuts off: the next process runs it again, uncounted [F-58]', async () => {
  const attempts: number[] = []
  const routes = (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) =>
    bot.otherwise(async (ctx) => {
      attempts.push(ctx.attempt)
      if (attempts.length === 1) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      await ctx.reply('after the restart')
    })
  await using world = await openWorld(routes)
  await world.emulator.customer(ASHA).says('hi')
  await world.until(() => attempts.length === 1)
  await world.restart(routes)
  await world.until(async () => (await world.replies()).length === 1)
  await world.settled()
  expect(attempts).toEqual([1, 1])
  expect(await world.replies()).toEqual(['after the restart'])
})
