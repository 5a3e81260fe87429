import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'switchhook-kind-'))
let named: readonly string[] = []

beforeAll(() => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const config = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as object
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ ...config, include: ['src'], exclude: ['src/pages/**/*.tsx', 'src/pages/vite.config.ts'] }),
  )
  add(
    'service/message-kinds.ts',
    "\n  interactive: { requires: ['interactive']",
    '\n  vote: { requires: [], reads: [], playable: false },',
  )
  add('service/message-kinds.ts', '\n  contacts: undefined', "\n  survey: 'text',")
  add('service/delivery.ts', "\n  'order.paid'", "\n  'survey.closed': 'declared',")
  const projects = [copy, join(copy, 'src/pages/emulator')]
  named = projects.flatMap((project) =>
    compile(project)
      .split('\n')
      .filter((line) => /\bis missing\b/.test(line)),
  )
}, 120_000)

afterAll(() => rmSync(copy, { recursive: true }))

/** In the table before the row that begins so. */
function add(file: string, before: string, row: string): void {
  const path = join(copy, 'src', file)
  const source = readFileSync(path, 'utf8')
  expect(source).toContain(before)
  writeFileSync(path, source.replace(before, row + before))
}

function compile(project: string): string {
  const run = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', project], {
    cwd: copy,
    encoding: 'utf8',
  })
  return run.stdout + run.stderr
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
    expect(placesOf('survey.closed')).toEqual(new Set(['bot/inbox/payload/tables.ts', 'emulator/events/examples.ts']))
  })
})
