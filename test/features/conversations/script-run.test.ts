import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buttons } from '../../../src/service/interactive.ts'
import { type Chat, defineConversation, media } from '../../../src/features/conversations/conversation.ts'
import { NOON, scripted } from './run.ts'

describe('a script', () => {
  it('does each step once, however often it runs, and gets the results of its steps again', async () => {
    const seen: unknown[] = []
    const script = scripted(async (chat) => {
      const name = await chat.ask('name?')
      const id = await chat.once('id', () => seen.push('ran'))
      await chat.say(`hello ${name}`)
      const age = await chat.ask('age?')
      seen.push([name, id, age])
    })
    expect(await script.goOn()).toMatchObject({ as: 'asks', step: 0, before: false })
    expect(await script.goOn('Asha')).toMatchObject({ as: 'asks', step: 3 })
    expect(await script.goOn('40')).toEqual({ as: 'finished' })
    expect(script.done).toEqual(['0 ask name?', '1 keep once [1]', '2 say hello Asha', '3 ask age?'])
    expect(seen).toEqual(['ran', ['Asha', 1, '40']])
  })

  it('sees nothing of its suspension: no error, and no finally', async () => {
    const seen: string[] = []
    const script = scripted(async (chat) => {
      try {
        await chat.ask('?')
        seen.push('answered')
      } catch {
        seen.push('caught')
      } finally {
        seen.push('finally')
      }
    })
    await script.goOn()
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([])
    await script.goOn('yes')
    expect(seen).toEqual(['answered', 'finally'])
  })

  it('does not see an effect fail: the run fails, and the next one begins the effect again', async () => {
    const seen: string[] = []
    let broken = true
    const script = scripted(async (chat) => {
      try {
        await chat.once('book', () => {
          if (broken) throw new Error('no line to the calendar')
          return 'booked'
        })
        seen.push('went on')
      } catch {
        seen.push('caught')
      }
    })
    await expect(script.goOn()).rejects.toThrow('no line to the calendar')
    expect(seen).toEqual([])
    broken = false
    expect(await script.goOn()).toEqual({ as: 'finished' })
    expect(seen).toEqual(['went on'])
  })

  it('begins no effect for an attempt that has ended', async () => {
    let ran = false
    const script = scripted((chat) => chat.once('book', () => (ran = true)))
    script.state.over = true
    await expect(script.goOn()).rejects.toThrow('the attempt is over')
    expect(ran).toBe(false)
  })

  it('does its steps in the order of their calls, even if it does not await them', async () => {
    const script = scripted(async (chat) => {
      void chat.say('one')
      void chat.say('two')
      const [first, second] = await Promise.all([chat.ask('a?'), chat.ask('b?')])
      void chat.say(`${first}${second}`)
    })
    await script.goOn()
    expect(script.done).toEqual(['0 say one', '1 say two', '2 ask a?'])
    await script.goOn('A')
    expect(await script.goOn('B')).toEqual({ as: 'finished' })
    expect(script.done.slice(3)).toEqual(['3 ask b?', '4 say AB'])
  })

  it('reads the same time and session again, which are stored before the next effect', async () => {
    const seen: unknown[] = []
    const script = scripted(async (chat) => {
      const at = chat.now()
      const { lang } = chat.session as { lang: string }
      await chat.ask('?')
      seen.push(at.getTime(), lang)
    })
    script.state.session = { lang: 'sw' }
    await script.goOn()
    expect(script.done).toEqual([`0 keep now [${NOON}]`, '1 keep session [{"lang":"sw"}]', '2 ask ?'])
    script.state.now += 3_600_000
    script.state.session = { lang: 'en' }
    await script.goOn('x')
    expect(seen).toEqual([NOON, 'sw'])
  })

  it('reads the time and the session within a once, which is not a step, because later runs skip it', async () => {
    const script = scripted(async (chat) => {
      await chat.once('book', async () => {
        await Promise.resolve()
        return [chat.now().toISOString(), chat.session]
      })
      await chat.say(await chat.ask('?'))
    })
    await script.goOn()
    expect(await script.goOn('yes')).toEqual({ as: 'finished' })
    expect(script.done).toEqual([`0 keep once [["${new Date(NOON).toISOString()}",{}]]`, '1 ask ?', '2 say yes'])
  })

  it.each<[string, (chat: Chat) => unknown]>([
    ['ask', (chat) => chat.ask('?')],
    ['say', (chat) => chat.say('hello')],
    ['sleep', (chat) => chat.sleep('1h')],
    ['once', (chat) => chat.once('inner', () => 1)],
  ])('gets an error at once for a chat.%s within a once, which would wait for itself', async (kind, step) => {
    const script = scripted((chat) => chat.once('book', () => step(chat)))
    await expect(script.goOn()).rejects.toThrow(`chat.${kind}() was called within chat.once('book')`)
  })

  it('gets the result of once as JSON makes it, on the first run too', async () => {
    const seen: unknown[] = []
    const script = scripted(async (chat) => {
      seen.push(await chat.once('when', () => ({ at: new Date(NOON).toISOString(), none: undefined })))
      seen.push(await chat.once('nothing', () => undefined))
    })
    await script.goOn()
    expect(seen).toEqual([{ at: '2026-03-04T12:00:00.000Z' }, undefined])
  })

  it('sleeps for a span or until a time, and not at all if the time has passed', async () => {
    const script = scripted(async (chat) => {
      await chat.sleepUntil(new Date(NOON - 1))
      await chat.sleep('23h59m59.9999s')
      await chat.say('a day later')
    })
    expect(await script.goOn()).toEqual({ as: 'sleeps', step: 1, until: NOON + 86_400_000, before: false })
    script.state.now += 86_400_000
    expect(await script.goOn()).toEqual({ as: 'finished' })
    expect(script.done).toEqual(['2 say a day later'])
  })

  it('runs another conversation in its own journal, whose questions belong to that one', async () => {
    const seen: unknown[] = []
    const { made: address, definition } = defineConversation<{ for: string }>(
      'address',
      { version: 3, timeout: '1h' },
      async (chat, input) => void seen.push(await chat.ask(`where to, ${input.for}?`)),
    )
    const script = scripted(async (chat) => {
      await chat.enter(address, { for: 'Asha' })
      await chat.say('thanks')
    })
    expect(await script.goOn()).toMatchObject({ as: 'asks', step: 1, of: definition })
    expect(await script.goOn('Moshi')).toEqual({ as: 'finished' })
    expect([seen, script.done]).toEqual([['Moshi'], ['1 ask where to, Asha?', '2 say thanks']])
  })

  it('writes no log line again while it repeats earlier steps', async () => {
    const script = scripted(async (chat) => {
      chat.log.info({}, 'before')
      await chat.ask('?')
      chat.log.info({}, 'after')
    })
    await script.goOn()
    await script.goOn('x')
    expect(script.state.logged).toEqual(['before', 'after'])
  })

  it('gets an answer that JSON would change parsed again by its schema', async () => {
    const seen: unknown[] = []
    const script = scripted(async (chat) => {
      const day = await chat.ask('day?', { as: z.coerce.date() })
      await chat.ask('sure?')
      seen.push(day)
    })
    await script.goOn()
    const run = script.run()
    const halt = await run.start()
    script.settle(run, await run.resumeWith('step' in halt ? halt.step : -1, '{"text":"2026-12-24"}'))
    await script.goOn('yes')
    expect(seen).toEqual([new Date('2026-12-24')])
  })
})

describe('a script that has changed', () => {
  const before = async (chat: Chat) => {
    await chat.ask('name?')
    await chat.once('book', () => 1)
    await chat.ask('age?')
  }
  const other: Record<string, (chat: Chat) => Promise<unknown>> = {
    'another kind': (chat) => chat.say('name?'),
    'another name': async (chat) => {
      await chat.ask('name?')
      await chat.once('pay', () => 1)
    },
    'another answer': async (chat) => void (await chat.ask('name?', { as: media('image') })),
    'options instead of a text': async (chat) => void (await chat.ask(buttons('name?', [{ id: 'a', title: 'A' }]))),
    'fewer steps': async (chat) => void (await chat.ask('name?')),
    'a step that is read': async (chat) => void chat.now(),
    'a sleep in the place of the question': async (chat) => {
      await chat.ask('name?')
      await chat.once('book', () => 1)
      await chat.sleep('1h')
    },
  }

  it.each(Object.keys(other))('is noticed by %s, before it does anything', async (how) => {
    const script = scripted(before)
    await script.goOn()
    await script.goOn('Asha')
    const done = [...script.done]
    const { definition } = defineConversation('test', { version: 1, timeout: '5m' }, other[how] as never)
    expect(await script.run(definition).start()).toMatchObject({ as: 'changed' })
    expect(script.done).toEqual(done)
  })

  it('is not noticed by a reworded text', async () => {
    const script = scripted(before)
    await script.goOn()
    await script.goOn('Asha')
    const { definition } = defineConversation('test', { version: 1, timeout: '5m' }, async (chat) => {
      await chat.ask('What is your name?')
      await chat.once('book', () => 1)
      await chat.ask('How old are you?')
    })
    expect(await script.run(definition).start()).toMatchObject({ as: 'asks', step: 2, before: true })
  })

  it('is noticed by the version of a conversation inside it', async () => {
    const inner = (version: number) =>
      defineConversation<void>('inner', { version, timeout: '5m' }, async (chat) => void (await chat.ask('?'))).made
    const script = scripted((chat) => chat.enter(inner(1)))
    await script.goOn()
    const { definition } = defineConversation('test', { version: 1, timeout: '5m' }, (chat) => chat.enter(inner(2)))
    expect(await script.run(definition).start()).toEqual({ as: 'changed', step: 0 })
  })
})
