import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { framesOf } from '../../src/dispatch/frames.ts'

/** An error with a stack of these lines. */
function errorWith(message: string, ...frames: string[]): Error {
  return Object.assign(new Error(message), {
    stack: [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n'),
  })
}

const url = (file: string) => pathToFileURL(join(process.cwd(), file)).href

it('an error’s frames begin with the app’s own, and name files from the working directory [F-87]', () => {
  const error = errorWith(
    'no such order',
    'node:internal/process/task_queues:105:5',
    `request (${url('node_modules/pg/index.js')}:12:7)`,
    `recordSend (${url('src/outbox/record-send.ts')}:66:11)`,
    `find (${url('bot/orders.ts')}:3:9)`,
    `async ${join(process.cwd(), 'bot/index.ts')}:20:5`,
    'Array.map (<anonymous>)',
  )
  expect(framesOf(error)).toEqual([
    'at find (bot/orders.ts:3:9)',
    'at async bot/index.ts:20:5',
    'at node:internal/process/task_queues:105:5',
    'at request (node_modules/pg/index.js:12:7)',
    'at recordSend (src/outbox/record-send.ts:66:11)',
    'at Array.map (<anonymous>)',
  ])
})

it('an error’s message is no frame, though its lines look like one; what has no stack has no frames', () => {
  const error = errorWith('he wrote:\n    at my house (by the river:1:2)', 'find (/app/orders.js:3:9)')
  expect(framesOf(error)).toEqual(['at find (/app/orders.js:3:9)'])
  for (const thrown of ['a text', undefined, null, { stack: 5 }]) expect(framesOf(thrown)).toEqual([])
  const hostile = Object.defineProperty({}, 'stack', {
    get: () => {
      throw new Error('no')
    },
  })
  expect(framesOf(hostile)).toEqual([])
})
