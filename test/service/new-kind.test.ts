import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copySource } from '../support/source-copy.ts'

const copy = copySource()
let named: readonly string[] = []

beforeAll(() => {
  add(
    'service/message-kinds.ts',
    "\n  interactive: { requires: ['interactive']",
    '\n  vote: { requires: [], reads: [], playable: false },',
  )
  add('service/message-kinds.ts', '\n  contacts: undefined', "\n  survey: 'text',")
  add('service/delivery.ts', "\n  'order.paid'", "\n  'survey.closed': 'declared',")
  named = ['.', 'src/pages/emulator'].flatMap((project) =>
    copy
      .compile(project)
      .split('\n')
      .filter((line) => /\bis missing\b/.test(line)),
  )
}, 120_000)

afterAll(() => copy[Symbol.dispose]())

/** In the table before the row that begins so. */
function add(file: string, before: string, row: string): void {
  const path = join(copy.folder, 'src', file)
  const source = readFileSync(path, 'utf8')
  expect(source).toContain(before)
  writeFileSync(path, source.replace(before, row + before))
}

describe('what is added to the service does not compile until it is named', () => {
  const placesOf = (what: string) =>
    new Set(named.flatMap((line) => (line.match(/[\w.]+/g)?.includes(what) ? [/src\/([\w./-]+)/.exec(line)?.[1]] : [])))

  it('wherever a message of its type is shown, sent or played [C SEND-02]', () => {
    expect(placesOf('vote')).toEqual(
      new Set(['emulator/recording/message-view.ts', 'emulator/service/message.ts', 'service/body-text.ts']),
    )
  })

  it('wherever a customer’s message of its kind is shown or played', () => {
    expect(placesOf('survey')).toEqual(
      new Set(['emulator/recording/message-view.ts', 'kit/testing/turn.ts', 'pages/emulator/phone/bubble.tsx']),
    )
  })

  it('wherever the facts of its event are read, and where it has an example', () => {
    expect(placesOf('survey.closed')).toEqual(
      new Set(['bot/inbox/payload/fact-places.ts', 'emulator/events/examples.ts']),
    )
  })
})
