import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAssistant } from '../../examples/assistant/assistant.ts'
import type { Turn } from '../../examples/assistant/model.ts'
import { scenario } from '../../src/testing/index.ts'
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

describe('a bot that asks a language model', () => {
  const texts = (thread: readonly { text: string }[]) => thread.map(({ text }) => text)
  /** A model whose answers the test gives. */
  const model = () => {
    const asked: { turns: readonly Turn[]; answer: PromiseWithResolvers<string> }[] = []
    const ask = (turns: readonly Turn[]) => {
      const answer = Promise.withResolvers<string>()
      asked.push({ turns, answer })
      return answer.promise
    }
    return { asked, ask }
  }

  it('sends "one moment" if the answer takes long, and then the answer', async () => {
    const { asked, ask } = model()
    await using s = await scenario(createAssistant(ask, { noteAfterMs: 1 }))
    const asha = s.customer(ASHA)
    const turn = asha.says('why?')
    // On a busy machine the note may go out before the model is asked.
    await expect.poll(() => [asked.length, asha.last?.text]).toEqual([1, NOTE])
    asked[0]?.answer.resolve('Because.')
    expect(texts((await turn).replies)).toEqual([NOTE, 'Because.'])
  })

  it('sends only the answer if it is quick', async () => {
    await using s = await scenario(createAssistant(async () => 'Because.'))
    expect(texts((await s.customer(ASHA).says('why?')).replies)).toEqual(['Because.'])
  })

  it('answers messages written meanwhile next, and the model then knows its first answer', async () => {
    const { asked, ask } = model()
    await using s = await scenario(createAssistant(ask))
    const asha = s.customer(ASHA)
    const turn = asha.says('one', 'two')
    await expect.poll(() => asked.length).toBe(1)
    asked[0]?.answer.resolve('first')
    await expect.poll(() => asked.length).toBe(2)
    asked[1]?.answer.resolve('second')
    expect(texts((await turn).replies)).toEqual(['first', 'second'])
    expect(asked.map(({ turns }) => turns.map(({ role, content }) => `${role}: ${content}`))).toEqual([
      ['user: one'],
      ['user: one', 'assistant: first', 'user: two'],
    ])
  })

  it('calls the model again if it fails, with one note for the message, and never after it has answered', async () => {
    const { asked, ask } = model()
    await using s = await scenario(createAssistant(ask, { noteAfterMs: 1 }))
    const asha = s.customer(ASHA)
    const turn = asha.says('why?')
    await expect.poll(() => [asked.length, asha.last?.text]).toEqual([1, NOTE])
    s.faults.next(500)
    asked[0]?.answer.reject(new Error('overloaded'))
    await expect.poll(() => asked.length).toBe(2)
    asked[1]?.answer.resolve('Because.')
    expect(texts((await turn).replies)).toEqual([NOTE, 'Because.'])
    expect(asked).toHaveLength(2)
  })
})
