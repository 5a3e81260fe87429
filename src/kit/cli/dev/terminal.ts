import { createInterface } from 'node:readline'
import { reasonOf } from '../../../base/errors.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import type { ThreadItem } from '../../../emulator/model/thread.ts'
import { messageView, type Shown } from '../../../emulator/recording/message-view.ts'
import { isCustomer } from '../support/arguments.ts'
import { escaped, type Io } from '../support/io.ts'

const POLL_EVERY_MS = 150

export type Phone = ReturnType<typeof openPhone>

export function openPhone(
  io: Io,
  emulator: Emulator,
  { hangUp, ...about }: Omit<ConversationOptions, 'print'> & { readonly hangUp: () => void },
) {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  let closed = false

  const prompt = () => {
    if (closed) return
    const number = conversation.number()
    terminal.setPrompt(`${conversation.customer()}${number === undefined ? '' : ` to ${number}`} > `)
    terminal.prompt(true)
  }
  const print = (line: string) => {
    io.stderr.write(`${closed ? '' : '\r\u001B[K'}${escaped(line, { colours: true })}\n`)
    prompt()
  }
  const conversation = openConversation(emulator, { ...about, print })
  const complain = (error: unknown) => print(`  ${reasonOf(error)}`)

  let lastProblem = ''
  const timer = setInterval(() => {
    conversation.printNew().catch((error: unknown) => {
      // Show the same error once.
      if (reasonOf(error) !== lastProblem) complain(error)
      lastProblem = reasonOf(error)
    })
  }, POLL_EVERY_MS)
  terminal.on('line', (line) => void conversation.handleLine(line).then(prompt, complain))
  terminal.on('SIGINT', hangUp)
  terminal.on('close', () => {
    if (closed) return
    closed = true
    io.err('')
    hangUp()
  })
  prompt()
  return {
    /** Writes a line above the prompt, or a plain line once the phone is closed. */
    print,
    shows: (digits: string) => digits === conversation.customer(),
    [Symbol.dispose]() {
      clearInterval(timer)
      if (!closed) io.stderr.write('\r\u001B[K')
      closed = true
      terminal.close()
    },
  }
}

export const FIRST_HELP = [
  '  Write as the customer and press Enter; the number of an option taps it.',
  '  /clock 25h moves the clock, /help lists the other commands, Ctrl-C ends.',
].join('\n')

function help(numbers: readonly string[], addresses: readonly string[]): string {
  return [
    FIRST_HELP,
    '  /send picture, /send voice, /send document or /send FILE sends a file.',
    '  /as 255712000102 switches to another customer.',
    ...(numbers.length > 1 ? [`  /number ${numbers[1]} writes to that number; the first is ${numbers[0]}.`] : []),
    '  The page moves time, breaks sends, and shows every delivery and call.',
    ...addresses.map((line) => `  ${line}`),
  ].join('\n')
}

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
) {
  let customer = first
  let number = numbers[0]
  const offered = new Map<string, Shown['options']>()
  const shown = new Set<string>()
  /** Settles when every typed message is in `shown`: the terminal displays them already. */
  let pending: Promise<unknown> = Promise.resolve()
  const failed = new Set<string>()

  const switchCustomer = (digits: string) => {
    if (!isCustomer(digits)) throw new Error('/as needs the 6 to 20 digits of a phone number: /as 255712000102')
    customer = digits
  }

  const switchNumber = (id: string) => {
    if (!numbers.includes(id)) throw new Error(`/number needs one of your numbers: ${numbers.join(', ')}`)
    number = id
  }

  const advanceClock = async (span: string) => {
    // `switchhook clock` needs a plus sign, so it is accepted here too.
    const forward = span.replace(/^\+/, '')
    if (!SPAN.test(forward)) throw new Error('/clock needs a span: /clock 25h')
    await emulator.clock.advance(forward, { tellApp: true })
  }

  const writer = () => emulator.customer(customer, number === undefined ? {} : { number })

  const printSent = async (writing: ReturnType<ReturnType<typeof writer>['says']>) => {
    const noted = writing.then(({ messageId }) => shown.add(messageId))
    pending = Promise.allSettled([pending, noted]).then(() => undefined)
    const { deliveryIds } = await writing
    if (deliveryIds.length === 0)
      print('  x not delivered: the endpoint is disabled, too many deliveries failed in a row; start again')
  }

  const sendFile = async (what: string) => {
    if (what === '') throw new Error('/send needs picture, voice, document or the path of a file: /send shoes.jpg')
    const kind = SAMPLES.get(what)
    await printSent(writer().sendsMedia(kind === undefined ? { file: what } : { kind }))
  }

  const commands = new Map<string, (argument: string) => void | Promise<void>>([
    ['/clock', advanceClock],
    ['/as', switchCustomer],
    ['/send', sendFile],
    ['/number', switchNumber],
    ['/help', () => print(help(numbers, addresses))],
  ])

  const write = async (text: string) => {
    const option = /^\d{1,2}$/.test(text) ? offered.get(customer)?.[Number(text) - 1] : undefined
    await printSent(option ? writer().taps(option.id) : writer().says(text))
  }

  return {
    customer: () => customer,
    /** The number that the customer writes to, if it is not the first. */
    number: () => (number === numbers[0] ? undefined : number),
    async handleLine(line: string): Promise<void> {
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
    /** Prints messages that the phone got since the last call, except those typed here. */
    async printNew() {
      const shownCustomer = customer
      const thread = await emulator.customer(shownCustomer).thread()
      await pending
      for (const item of thread) {
        if (!shown.has(item.id)) {
          const message = messageView(item)
          print(escaped(renderItem(item, message, shownCustomer)))
          if (message.options.length > 0) offered.set(shownCustomer, message.options)
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
function renderItem({ number, refused }: ThreadItem, message: Shown, customer: string): string {
  const head = headline(message)
  if (refused) return `  x not sent: ${head}\n    ${message.refused?.code}: ${refused.message}`
  if (message.from === 'customer') return `${customer}${number === undefined ? '' : ` to ${number}`} > ${head}`
  const from = number === undefined ? '' : `[from ${number}] `
  return [`  < ${from}${head}`, ...lowerLines(message)].join('\n    ')
}

/** A message without its options, on one line unless its text has more: `[document menu.pdf] Our menu`. */
function headline({ text, template, media }: Shown): string {
  const parts = [
    template && `[template ${template.name}]`,
    media && `[${media.kind} ${media.filename ?? media.url}]`,
    text,
  ]
  return parts.filter(Boolean).join(' ')
}

function lowerLines({ options, link, sections, footer }: Shown): string[] {
  let number = 0
  const option = ({ title, description }: { title: string; description?: string | undefined }) =>
    `${++number}  ${title}${description === undefined ? '' : ` — ${description}`}`
  const list = sections?.flatMap(({ title, rows }) => [...(title === undefined ? [] : [title]), ...rows.map(option)])
  return [
    ...(footer === undefined ? [] : [`[footer ${footer}]`]),
    ...(link ? [`[link ${link.title} → ${link.url}]`] : []),
    ...(list ?? options.map(option)),
  ]
}
