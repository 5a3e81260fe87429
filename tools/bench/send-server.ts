/**
 * One contender in its own process: `emulator` is the whole service with a thousand customers who have written;
 * `plain` is Express with express.json, which checks nothing, keeps nothing and answers with a message.
 */
import type { AddressInfo } from 'node:net'
import express from 'express'
import { realTimers, type Timers } from '../../src/base/clock.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { CUSTOMERS, customer } from './sends.ts'
import { tell } from './serve.ts'

const [, , contender, token = ''] = process.argv
/** Statuses that are still to come. */
let due = 0
let made = 0

const counted: Timers = {
  after(ms, run) {
    due++
    let isDue = true
    const over = () => {
      if (isDue) due--
      isDue = false
    }
    const cancel = realTimers.after(ms, () => {
      over()
      run()
    })
    return () => {
      over()
      cancel()
    }
  },
}

async function startEmulator(): Promise<number> {
  const emulator = await createEmulator({ token, internals: { timers: counted } })
  for (let index = 0; index < CUSTOMERS; index++) await emulator.customer(customer(index)).says('Habari')
  return Number(new URL(emulator.url).port)
}

function startPlain(): Promise<number> {
  const app = express()
  app.post('/api/v2/messages', express.json(), (request, response) => {
    const { type = 'text', text } = request.body
    response.json({
      id: `m${made++}`,
      direction: 'OUTBOUND',
      message_type: type,
      content: text,
      created_at: new Date(),
    })
  })
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

const port = await (contender === 'emulator' ? startEmulator() : startPlain())
tell(port, { figures: () => ({ due }) })
