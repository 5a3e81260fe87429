import { createInterface } from 'node:readline'
import { reasonOf } from '../../base/errors.ts'
import type { Emulator } from '../../emulator/index.ts'
import type { Io } from '../support/io.ts'
import { openConversation } from './conversation.ts'

const LOOK_EVERY_MS = 150

export interface Phone extends Disposable {
  /** Writes a line above the prompt, or a plain line once the phone is closed. */
  print(line: string): void
  /** True if the conversation on the screen is with this customer. */
  shows(customer: string): boolean
}

interface PhoneOptions {
  readonly customer: string
  readonly numbers: readonly string[]
  readonly hangUp: () => void
  /** Called when Ctrl-T is pressed. */
  readonly toggleWire: () => void
}

/** The customer's phone as a prompt in the terminal: typed lines are sent, and arriving messages are shown. */
export function openPhone(io: Io, emulator: Emulator, { customer, numbers, hangUp, toggleWire }: PhoneOptions): Phone {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  let closed = false

  const prompt = () => {
    if (closed) return
    const number = talk.number()
    terminal.setPrompt(`${talk.customer()}${number === undefined ? '' : ` to ${number}`} > `)
    terminal.prompt(true)
  }
  const print = (line: string) => {
    io.stderr.write(closed ? `${line}\n` : `\r\u001B[K${line}\n`)
    prompt()
  }
  const talk = openConversation(emulator, { customer, numbers, print })
  const complain = (error: unknown) => print(`  ${reasonOf(error)}`)

  let trouble = ''
  const timer = setInterval(() => {
    talk.look().catch((error: unknown) => {
      // The same error is shown once, not at each look.
      if (reasonOf(error) !== trouble) complain(error)
      trouble = reasonOf(error)
    })
  }, LOOK_EVERY_MS)
  terminal.on('line', (line) => void talk.said(line).then(prompt, complain))
  const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (key?.ctrl === true && key.name === 't') toggleWire()
  }
  io.stdin.on('keypress', onKey)
  terminal.on('SIGINT', hangUp)
  terminal.on('close', () => {
    if (closed) return
    closed = true
    io.err('')
    hangUp()
  })
  prompt()
  return {
    print,
    shows: (digits) => digits === talk.customer(),
    [Symbol.dispose]() {
      clearInterval(timer)
      io.stdin.off('keypress', onKey)
      if (!closed) io.stderr.write('\r\u001B[K')
      closed = true
      terminal.close()
    },
  }
}
