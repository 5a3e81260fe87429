import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAssistant } from '../../examples/assistant/assistant.ts'
import { type Answer, type Model, overChat, stub, type Turn } from '../../examples/assistant/model.ts'
import { scenario } from '../../src/kit/testing/testing.ts'
import { besideEmulator } from './beside-emulator.ts'

const MAIN = resolve(import.meta.dirname, '../../examples/assistant/main.ts')
const NOTE = 'One moment, please.'
const ASHA = '255712000101'

it('the assistant example gives its model the earlier conversation', async () => {
  await using assistant = await besideEmulator(MAIN)
  const { asha, last } = assistant
  await asha.says('What is my name?')
  await last('You have not told me yet.')
  await asha.says('My name is Asha')
  await last('Nice to meet you, Asha.')
  await asha.says('So, what is my name?')
  await last('Your name is Asha.')
})

const SHOP = { statusOf: async (order: string) => `order ${order} is on its way` }

describe('a bot that asks a language model', () => {
  const texts = (thread: readonly { text: string }[]) => thread.map(({ text }) => text)
  /** A model whose answers the test gives. */
  const model = () => {
    const asked: { turns: readonly Turn[]; answer: PromiseWithResolvers<Answer> }[] = []
    const ask = ({ turns }: { turns: readonly Turn[] }) => {
      const answer = Promise.withResolvers<Answer>()
      asked.push({ turns: [...turns], answer })
      return answer.promise
    }
    return { asked, ask }
  }
  const said = (turns: readonly Turn[]) => turns.map(({ role, content }) => `${role}: ${content}`)

  it('sends an answer that is longer than a message in several, and shows the model all of them', async () => {
    const answer = ['One', 'Two'].map((word) => `${word}. `.repeat(500).trim())
    const heard: string[][] = []
    const ask = async ({ turns }: { turns: readonly Turn[] }) => (
      heard.push(said(turns)), { text: answer.join('\n\n') }
    )
    await using s = await scenario(createAssistant(ask, SHOP))
    expect(texts((await s.customer(ASHA).says('tell me')).replies)).toEqual(answer)
    await s.customer(ASHA).says('again')
    expect(heard[1]).toEqual(['user: tell me', ...answer.map((part) => `assistant: ${part}`), 'user: again'])
  })

  it('sends "one moment" if the answer takes long, and then the answer, and never shows the model its note', async () => {
    const { asked, ask } = model()
    await using s = await scenario(createAssistant(ask, SHOP, { noteAfterMs: 1 }))
    const asha = s.customer(ASHA)
    const turn = asha.says('why?')
    // On a busy machine the note may go out before the model is asked.
    await expect.poll(() => [asked.length, asha.last?.text]).toEqual([1, NOTE])
    asked[0]?.answer.resolve({ text: 'Because.' })
    expect(texts((await turn).replies)).toEqual([NOTE, 'Because.'])
    const again = asha.says('really?')
    await expect.poll(() => asked.length).toBe(2)
    asked[1]?.answer.resolve({ text: 'Yes.' })
    await again
    expect(said(asked[1]?.turns ?? [])).toEqual(['user: why?', 'assistant: Because.', 'user: really?'])
  })

  it('answers messages written meanwhile next, and the model then knows its first answer', async () => {
    const { asked, ask } = model()
    await using s = await scenario(createAssistant(ask, SHOP))
    const asha = s.customer(ASHA)
    const turn = asha.says('one', 'two')
    await expect.poll(() => asked.length).toBe(1)
    asked[0]?.answer.resolve({ text: 'first' })
    await expect.poll(() => asked.length).toBe(2)
    asked[1]?.answer.resolve({ text: 'second' })
    expect(texts((await turn).replies)).toEqual(['first', 'second'])
    expect(asked.map(({ turns }) => said(turns))).toEqual([
      ['user: one'],
      ['user: one', 'assistant: first', 'user: two'],
    ])
  })

  it('calls the model again if it fails, with one note for the message, and never after it has answered', async () => {
    const { asked, ask } = model()
    await using s = await scenario(createAssistant(ask, SHOP, { noteAfterMs: 1 }))
    const asha = s.customer(ASHA)
    const turn = asha.says('why?')
    await expect.poll(() => [asked.length, asha.last?.text]).toEqual([1, NOTE])
    s.faults.next(500)
    asked[0]?.answer.reject(new Error('overloaded'))
    await expect.poll(() => asked.length).toBe(2)
    asked[1]?.answer.resolve({ text: 'Because.' })
    expect(texts((await turn).replies)).toEqual([NOTE, 'Because.'])
    expect(asked).toHaveLength(2)
  })

  it('runs a tool once, although the model fails after it and the message is handled again', async () => {
    const orders: string[] = []
    const rounds: (readonly Turn[])[] = []
    const shop = { statusOf: async (order: string) => (orders.push(order), 'on its way') }
    const failing: Model = async ({ turns }) => {
      rounds.push([...turns])
      if (rounds.length === 1) return { calls: [{ tool: 'order_status', input: { order: '7' } }] }
      if (rounds.length === 2) throw new Error('overloaded')
      return { text: turns.at(-1)?.content ?? '' }
    }
    await using s = await scenario(createAssistant(failing, shop))
    expect((await s.customer(ASHA).says('where is order 7?')).text).toBe('on its way')
    expect(orders).toEqual(['7'])
    expect(rounds.map(said)).toEqual([
      ['user: where is order 7?'],
      ['user: where is order 7?', 'assistant: (calls order_status)', 'tool: on its way'],
      ['user: where is order 7?', 'assistant: (calls order_status)', 'tool: on its way'],
    ])
  })

  it('leaves the customer to a person if the model says so, until they come back', async () => {
    let calls = 0
    const leaving: Model = (question) => {
      calls++
      return stub(question)
    }
    await using s = await scenario(createAssistant(leaving, SHOP))
    const asha = s.customer(ASHA)
    expect((await asha.says('a person, please')).text).toContain('A person will answer you')
    expect((await asha.says('where is order 7?')).text).toBe('')
    expect(calls).toBe(1)
    expect((await asha.says('back')).text).toBe('Here I am again.')
    expect((await asha.says('where is order 7?')).text).toBe('I have looked: order 7 is on its way.')
  })
})

it('a provider’s SDK is a model by a few lines: it gets turns and tools, and its calls come back', async () => {
  const requests: Record<string, unknown>[] = []
  const messages = [
    { tool_calls: [{ function: { name: 'order_status', arguments: '{"order":"7"}' } }] },
    { content: 'On its way.' },
  ]
  const create = async (request: object) => {
    requests.push(request as Record<string, unknown>)
    return { choices: [{ message: messages.shift() ?? {} }] }
  }
  const ask = overChat({ chat: { completions: { create } } }, 'a-model')
  const { signal } = new AbortController()
  const turns = [{ role: 'user', content: 'order 7?' }] as const
  const tools = [{ name: 'order_status', description: 'x', input: { type: 'object' } }]
  expect(await ask({ turns, tools, signal })).toEqual({ calls: [{ tool: 'order_status', input: { order: '7' } }] })
  expect(await ask({ turns: [...turns, { role: 'tool', content: 'sent' }], tools, signal })).toEqual({
    text: 'On its way.',
  })
  expect(requests[0]).toMatchObject({ model: 'a-model', tools: [{ function: { name: 'order_status' } }] })
  expect(requests[1]).toMatchObject({ messages: [{ role: 'user' }, { role: 'user', content: 'sent' }] })
})
