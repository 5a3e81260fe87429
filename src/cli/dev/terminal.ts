import { createInterface } from 'node:readline'
import { reasonOf } from '../../base/errors.ts'
import type { Emulator } from '../../emulator/index.ts'
import type { ThreadItem } from '../../emulator/model/thread.ts'
import { messageView, type Shown } from '../../testing/message-view.ts'
import { isCustomer } from '../support/arguments.ts'
import { openControl } from '../support/emulator.ts'
import { escaped, type Io } from '../support/io.ts'
import { headline, lowerLines } from './message-text.ts'
import { serviceCommands } from './service-commands.ts'

const LOOK_EVERY_MS = 150

export interface Phone extends Disposable {
  /** Writes a line above the prompt, or a plain line once the phone is closed. */
  print(line: string): void
  shows(customer: string): boolean
}

interface PhoneOptions {
  readonly customer: string
  readonly numbers: readonly string[]
  readonly addresses: readonly string[]
  readonly hangUp: () => void
  readonly toggleWire: () => void
}

/** The customer's phone as a prompt in the terminal: typed lines are sent, and arriving messages are shown. */
export function openPhone(io: Io, emulator: Emulator, { hangUp, toggleWire, ...about }: PhoneOptions): Phone {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  let closed = false

  const prompt = () => {
    if (closed) return
    const number = talk.number()
    terminal.setPrompt(`${talk.customer()}${number === undefined ? '' : ` to ${number}`} > `)
    terminal.prompt(true)
  }
  const print = (line: string) => {
    io.stderr.write(`${closed ? '' : '\r\u001B[K'}${escaped(line, { colours: true })}\n`)
    prompt()
  }
  const talk = openConversation(emulator, { ...about, print })
  const complain = (error: unknown) => print(`  ${reasonOf(error)}`)

  let trouble = ''
  const timer = setInterval(() => {
    talk.look().catch((error: unknown) => {
      // The same error is shown once.
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

export interface Conversation {
  customer(): string
  /** The number that the customer writes to, if it is not the first. */
  number(): string | undefined
  /** Carries out a typed line; rejects if the line is wrong. */
  said(line: string): Promise<void>
  /** Prints the messages that stand on the phone since the last call, except those that were typed here. */
  look(): Promise<void>
}

export const FIRST_HELP = [
  '  Write as the customer and press Enter; the number of an option taps it.',
  '  /clock 25h moves the clock, /help lists the other commands, Ctrl-C ends.',
].join('\n')

function help(numbers: readonly string[], addresses: readonly string[]): string {
  return [
    FIRST_HELP,
    '  /send picture, voice, document or a file sends that.',
    '  /as 255712000102 makes you another customer; /who lists all of them.',
    '  /window tells how long you get free text; /templates lists what else you can get.',
    '  /fault lose_answer breaks the next send, /fault lists the faults, /fault off ends them.',
    ...(numbers.length > 1 ? [`  /number ${numbers[1]} writes to that number; the first is ${numbers[0]}.`] : []),
    '  Ctrl-T shows the wire too: deliveries, statuses, calls.',
    ...addresses.map((line) => `  ${line}`),
  ].join('\n')
}

/** The words that `/send` takes besides a path: the samples that the emulator has. */
const SAMPLES: ReadonlyMap<string, 'image' | 'audio' | 'document'> = new Map([
  ['picture', 'image'],
  ['voice', 'audio'],
  ['document', 'document'],
])

const SPAN = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/

interface ConversationOptions {
  readonly customer: string
  readonly numbers: readonly string[]
  readonly addresses: readonly string[]
  readonly print: (line: string) => void
}

export function openConversation(
  emulator: Emulator,
  { customer: first, numbers, addresses, print }: ConversationOptions,
): Conversation {
  let customer = first
  let number = numbers[0]
  const offered = new Map<string, Shown['options']>()
  const shown = new Set<string>()
  /** Settles when all that was typed is in `shown`: a terminal shows it already. */
  let typing: Promise<unknown> = Promise.resolve()
  const failed = new Set<string>()

  const become = (digits: string) => {
    if (!isCustomer(digits)) throw new Error('/as needs the 6 to 20 digits of a phone number: /as 255712000102')
    customer = digits
  }

  const writeTo = (id: string) => {
    if (!numbers.includes(id)) throw new Error(`/number needs one of your numbers: ${numbers.join(', ')}`)
    number = id
  }

  const move = async (span: string) => {
    // `switchhook clock` takes a plus sign, so it is accepted here too.
    const forward = span.replace(/^\+/, '')
    if (!SPAN.test(forward)) throw new Error('/clock needs a span: /clock 25h')
    await emulator.clock.advance(forward, { tellApp: true })
  }

  const writer = () => emulator.customer(customer, number === undefined ? {} : { number })

  const typed = async (writing: ReturnType<ReturnType<typeof writer>['says']>) => {
    const noted = writing.then(({ messageId }) => shown.add(messageId))
    typing = Promise.allSettled([typing, noted]).then(() => undefined)
    const { deliveryIds } = await writing
    if (deliveryIds.length === 0)
      print('  x not delivered: the endpoint is disabled, too many deliveries failed in a row; start again')
  }

  const sendFile = async (what: string) => {
    if (what === '') throw new Error('/send needs picture, voice, document or the path of a file: /send shoes.jpg')
    const kind = SAMPLES.get(what)
    await typed(writer().sendsMedia(kind === undefined ? { file: what } : { kind }))
  }

  const control = openControl({ url: emulator.url, token: emulator.controlToken })
  const talk = { customer: () => customer, number: () => number, print }
  const commands = new Map<string, (argument: string) => void | Promise<void>>([
    ...Object.entries(serviceCommands(control, talk)),
    ['/clock', move],
    ['/as', become],
    ['/send', sendFile],
    ['/number', writeTo],
    ['/help', () => print(help(numbers, addresses))],
  ])

  const write = async (text: string) => {
    const option = /^\d{1,2}$/.test(text) ? offered.get(customer)?.[Number(text) - 1] : undefined
    await typed(option ? writer().taps(option.id) : writer().says(text))
  }

  return {
    customer: () => customer,
    number: () => (number === numbers[0] ? undefined : number),
    async said(line) {
      const text = line.trim()
      if (text === '') return
      if (text.startsWith('//')) return write(text.slice(1))
      if (!text.startsWith('/')) return write(text)
      const [, command = '', argument = ''] = /^(\S+)\s*(.*)$/.exec(text) ?? []
      const run = commands.get(command)
      if (run === undefined)
        throw new Error(
          `${command} is not a command, so nothing was sent: /help lists them, /${text} sends it as a text`,
        )
      return run(argument)
    },
    async look() {
      const whose = customer
      const thread = await emulator.customer(whose).thread()
      await typing
      for (const item of thread) {
        if (!shown.has(item.id)) {
          const message = messageView(item)
          print(escaped(textOf(item, message, whose)))
          if (message.options.length > 0) offered.set(whose, message.options)
        }
        shown.add(item.id)
        if (item.failureReason === undefined || failed.has(item.id)) continue
        failed.add(item.id)
        print(escaped(`  x did not arrive: ${headline(messageView(item))}\n    ${item.failureReason}`))
      }
    },
  }
}

/** A message for the terminal. The customer's own gets a prompt in front, because it was written elsewhere. */
function textOf({ number, refused }: ThreadItem, message: Shown, customer: string): string {
  const head = headline(message)
  if (refused) return `  x not sent: ${head}\n    ${message.refused?.code}: ${refused.message}`
  if (message.from === 'customer') return `${customer}${number === undefined ? '' : ` to ${number}`} > ${head}`
  const from = number === undefined ? '' : `[from ${number}] `
  return [`  < ${from}${head}`, ...lowerLines(message)].join('\n    ')
}
