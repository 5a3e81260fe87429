import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { buttons, type Bot, type Sender } from 'switchhook'
import { histories } from '../support/runs.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

/** Minutes; tests let pass even numbers of them, so that seconds lost by a crash change no verdict. */
const TIMEOUT = 5
const SLEEP = 11

function routes(bot: Bot & Sender): void {
  const booking = bot.conversation(
    'booking',
    {
      version: 1,
      timeout: `${TIMEOUT}m`,
      cancelWords: ['stop'],
      passThrough: ['help'],
      onEnd: (ctx, why) => ctx.reply(why),
    },
    async (chat) => {
      const day = await chat.ask('day?', { as: z.string().regex(/^\d$/), invalid: 'a digit', tries: 3 })
      const id = await chat.once('book', () => `booked ${day}`)
      await chat.say(id)
      const pay = await chat.ask(buttons('pay?', [{ id: 'cash', title: 'Cash' }]))
      await chat.sleep(`${SLEEP}m`)
      await chat.say(`${day} by ${pay}`)
      const stars = await chat.ask('stars?')
      await chat.say(`${stars} stars`)
    },
  )
  bot.hears('book', (ctx) => ctx.enter(booking))
  bot.otherwise((ctx) => ctx.reply('route'))
}

/** The conversation as one reads the script: where it is, since which minute, and what it says next. */
interface State {
  readonly at: 'none' | 'day' | 'pay' | 'asleep' | 'stars'
  readonly since: number
  readonly tries: number
  readonly day: string
}

const NONE: State = { at: 'none', since: 0, tries: 0, day: '' }

function hear(state: State, text: string, now: number): [State, string[]] {
  const to = (at: State['at'], said: string[], more: Partial<State> = {}): [State, string[]] => [
    { ...state, at, since: now, tries: 0, ...more },
    said,
  ]
  if (state.at === 'none' || state.at === 'asleep') return text === 'book' ? to('day', ['day?']) : [state, ['route']]
  if (text === 'stop') return to('none', ['cancelled'])
  if (text === 'help') return [state, ['route']]
  if (state.at === 'stars') return to('none', [`${text} stars`])
  if (state.at === 'pay') return text === 'cash' ? to('asleep', []) : to('pay', ['pay?'])
  if (/^\d$/.test(text)) return to('pay', [`booked ${text}`, 'pay?'], { day: text })
  return state.tries === 2 ? to('none', ['too_many_tries']) : to('day', ['a digit'], { tries: state.tries + 1 })
}

function pass(state: State, now: number): [State, string[]] {
  const span = state.at === 'asleep' ? SLEEP : TIMEOUT
  if (state.at === 'none' || now < state.since + span) return [state, []]
  if (state.at !== 'asleep') return [NONE, ['timeout']]
  const [after, said] = pass({ ...state, at: 'stars', since: state.since + SLEEP }, now)
  return [after, [`${state.day} by cash`, 'stars?', ...said]]
}

interface Step {
  readonly texts: readonly string[]
  readonly minutes: number
  /** The process is killed so many turns of the event loop after the customer wrote. */
  readonly killedAfter: number | undefined
  readonly fault: 'none' | 'duplicate' | 'lose_answer'
}

/** The word that brings the script on from where it is. */
const FITS = { none: 'book', day: '1', pay: 'cash', asleep: 'hello', stars: '5' } as const
const WORDS = ['fits', 'fits', 'fits', 'fits', 'book', '1', '2', 'cash', 'stop', 'help', 'hello']

const steps: fc.Arbitrary<Step> = fc.record({
  texts: fc.oneof(
    { weight: 3, arbitrary: fc.constant(['fits']) },
    fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }),
  ),
  minutes: fc.constantFrom(0, 0, 0, 2, 6, 12),
  killedAfter: fc.option(fc.nat(25), { nil: undefined }),
  fault: fc.constantFrom<Step['fault']>('none', 'none', 'duplicate', 'lose_answer'),
})

async function take(world: World, { texts, minutes, killedAfter, fault }: Step): Promise<void> {
  const on = fault === 'duplicate' ? 'delivery' : 'send'
  await world.control('PUT', 'faults', { rules: fault === 'none' ? [] : [{ on, do: fault, next: 2 }] })
  const written = Promise.all(texts.map((text) => world.emulator.customer(ASHA).says(text)))
  const passing = minutes === 0 ? world.settled() : written.then(() => world.pass(`${minutes}m`))
  if (killedAfter !== undefined) {
    for (let turn = 0; turn < killedAfter; turn++) await new Promise((resolve) => void setImmediate(resolve))
    await world.crash(routes)
  }
  await written
  await passing
  await world.settled()
}

/** Those ends of undisturbed runs that said what was said: two texts at once may be heard in either order. */
function after(states: readonly State[], { texts, minutes }: Step, now: number, said: readonly string[]): State[] {
  const orders = texts.length === 2 ? [texts, texts.toReversed()] : [texts]
  return states.flatMap((before) =>
    orders.flatMap((order) => {
      const heard: string[] = []
      let state = before
      for (const text of order) {
        const [next, replies] = hear(state, text, now)
        state = next
        heard.push(...replies)
      }
      const [end, replies] = pass(state, now + minutes)
      return JSON.stringify([...heard, ...replies]) === JSON.stringify(said) ? [end] : []
    }),
  )
}

it('sends what an undisturbed run could have sent, however answers, timers, kills, duplicates and lost answers occur [F-55, F-65]', async () => {
  const seen = new Set<State['at']>()
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 12, size: 'max' }), async (history) => {
      await using world = await openWorld(routes)
      let states: readonly State[] = [NONE]
      let minute = 0
      let count = 0
      for (const drawn of history) {
        const { at } = states[0] ?? NONE
        const step = { ...drawn, texts: drawn.texts.map((text) => (text === 'fits' ? FITS[at] : text)) }
        await take(world, step)
        const replies = await world.replies()
        const said = replies.slice(count).map(String)
        count = replies.length
        const possible = after(states, step, minute, said)
        expect(possible.length, JSON.stringify({ step, states, said })).toBeGreaterThan(0)
        for (const { at: reached } of possible) seen.add(reached)
        states = [...new Map(possible.map((state) => [JSON.stringify(state), state])).values()]
        minute += step.minutes
      }
    }),
    { numRuns: histories('sqlite') },
  )
  expect([...seen].sort()).toEqual(Object.keys(FITS).sort())
})
