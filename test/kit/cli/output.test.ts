import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createIo } from '../../../src/kit/cli/support/io.ts'
import { type OutputFlags, printList, printRecord, printResult } from '../../../src/kit/cli/support/output.ts'

interface Row {
  readonly id: string
  readonly sentAt?: string
  readonly names?: readonly string[]
}

const ROWS: readonly Row[] = [
  { id: 'a', sentAt: '2026' },
  { id: 'long id', names: ['x', 'y'] },
]
const HOSTILE = 'x\u001B[2Jy\u009Bz\nforged  line\u202E'

function processWith(stdout: PassThrough, stderr: PassThrough) {
  const own = { env: {}, stdin: new PassThrough(), stdout, stderr, cwd: () => '.', exit() {} }
  return Object.assign(new EventEmitter(), own)
}

/** What a command prints on stdout and stderr. */
async function printed(print: (io: ReturnType<typeof createIo>) => unknown) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  await print(createIo(processWith(stdout, stderr)))
  stdout.end()
  stderr.end()
  return { stdout: await text(stdout), stderr: await text(stderr) }
}

describe('a list', () => {
  const list = (flags: OutputFlags, rows: Iterable<Row> | AsyncIterable<Row> = ROWS) =>
    printed((io) =>
      printList<Row>(io, flags, rows, ['id', 'sentAt', ['to', ({ names }) => names]], { none: 'None.', limit: 2 }),
    )

  it('is a table of its columns, with a hint below it if there may be more', async () => {
    expect(await list({})).toEqual({
      stdout: 'ID       SENT AT  TO\na        2026     -\nlong id  -        x, y\n',
      stderr: 'These are the first 2; --limit lists more.\n',
    })
  })

  it('is a line of JSON for each whole row with --json', async () => {
    expect(await list({ json: true })).toEqual({
      stdout: ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''),
      stderr: '',
    })
  })

  it('has a sentence if it is empty, and prints nothing with --json', async () => {
    expect(await list({}, [])).toEqual({ stdout: '', stderr: 'None.\n' })
    expect(await list({ json: true }, [])).toEqual({ stdout: '', stderr: '' })
  })

  it('has the details of a row below it', async () => {
    const details = () => ({ why: 'b', not: undefined })
    const columns = ['id', ['x', () => 'x']] as const
    const { stdout } = await printed((io) => printList<Row>(io, {}, [{ id: 'a' }], columns, { details }))
    expect(stdout).toBe('ID  X\na   x\n  why  b\n')
  })
})

describe('a record', () => {
  const RECORD = {
    seq: 7,
    sentAt: undefined,
    possiblyTwice: false,
    states: { dead: 1, done: 2 },
    items: [{ kind: 'text', reason: 'r'.repeat(100) }],
  }

  it('is a line for each member that it has, and a long member is a record below its name', async () => {
    const { stdout } = await printed((io) => printRecord(io, {}, RECORD))
    expect(stdout).toBe(
      [
        'seq             7',
        'possibly twice  no',
        'states          dead: 1, done: 2',
        'items',
        '  -',
        '    kind    text',
        `    reason  ${'r'.repeat(100)}`,
        '',
      ].join('\n'),
    )
  })

  it('is one line of JSON with --json', async () => {
    const { stdout } = await printed((io) => printRecord(io, { json: true }, RECORD))
    expect(stdout).toBe(`${JSON.stringify(RECORD)}\n`)
  })
})

it('a result is sentences on stderr, or one line of JSON on stdout', async () => {
  expect(await printed((io) => printResult(io, {}, { held: 3 }, 'Held: 3.'))).toEqual({
    stdout: '',
    stderr: 'Held: 3.\n',
  })
  expect(await printed((io) => printResult(io, { json: true }, { held: 3 }, 'Held: 3.'))).toEqual({
    stdout: '{"held":3}\n',
    stderr: '',
  })
})

it('no text from outside moves the cursor, colours anything or begins a line', async () => {
  const record = { [HOSTILE]: HOSTILE, list: [HOSTILE], deep: [{ long: HOSTILE.repeat(20) }] }
  const { stdout, stderr } = await printed(async (io) => {
    await printList(io, {}, [{ id: HOSTILE }], ['id', [HOSTILE, () => record]], { details: () => record })
    await printRecord(io, {}, record)
    printResult(io, {}, {}, HOSTILE)
  })
  expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u)
  expect(stdout + stderr).not.toMatch(/^forged/m)
})
