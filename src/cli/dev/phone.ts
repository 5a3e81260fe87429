import { createInterface } from 'node:readline'
import type { Emulator } from '../../emulator/index.ts'

interface Shown {
  readonly id: string
  readonly direction: string
  readonly text: string | null
  readonly refused?: { readonly code: string | null; readonly message: string }
  readonly template?: { readonly name: string }
  readonly interactive?: {
    readonly buttons?: readonly Option[]
    readonly sections?: readonly { rows: readonly Option[] }[]
  }
}

interface Option {
  readonly id: string
  readonly title: string
}

const LOOK_EVERY_MS = 150

export const HELP = [
  '  Write as the customer and press Enter. The number of an option taps it.',
  '  /clock 25h moves the clock, /as 255712000102 makes you another customer, Ctrl-C ends.',
].join('\n')

/** The customer's phone as a prompt in the terminal: what is typed is said, what arrives is shown. */
export function openPhone(emulator: Emulator, first: string): { close(): void; print(line: string): void } {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  let customer = first
  let offered: readonly Option[] = []
  const shown = new Set<string>()

  const prompt = () => {
    terminal.setPrompt(`${customer} > `)
    terminal.prompt(true)
  }
  const print = (line: string) => {
    process.stderr.write(`\r\u001B[K${line}\n`)
    prompt()
  }

  async function said(line: string): Promise<void> {
    const text = line.trim()
    const option = /^\d{1,2}$/.test(text) ? offered[Number(text) - 1] : undefined
    const [command, argument = ''] = text.split(/\s+/, 2)
    if (text === '') return prompt()
    if (command === '/clock') await emulator.clock.advance(argument)
    else if (command === '/as') customer = argument
    else if (option) await emulator.customer(customer).taps(option.id)
    else await emulator.customer(customer).says(text)
    prompt()
  }

  async function look(): Promise<void> {
    for (const item of (await emulator.customer(customer).thread()) as unknown as readonly Shown[]) {
      if (item.direction !== 'OUTBOUND' || shown.has(item.id)) continue
      shown.add(item.id)
      const options = optionsOf(item)
      if (options.length > 0) offered = options
      print(rendered(item, options))
    }
  }

  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  terminal.on('line', (line) => {
    said(line).catch((error: unknown) => print(`  ${error instanceof Error ? error.message : String(error)}`))
  })
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  prompt()
  return {
    print,
    close() {
      clearInterval(timer)
      terminal.close()
    },
  }
}

function optionsOf({ interactive }: Shown): readonly Option[] {
  return interactive?.buttons ?? interactive?.sections?.flatMap((section) => section.rows) ?? []
}

function rendered(item: Shown, options: readonly Option[]): string {
  if (item.refused) return `  x not sent: ${item.text ?? ''}\n    ${item.refused.code ?? ''}: ${item.refused.message}`
  const head = item.template ? `[template ${item.template.name}] ${item.text ?? ''}` : (item.text ?? '')
  return [`  < ${head}`, ...options.map(({ title }, index) => `    ${index + 1}  ${title}`)].join('\n')
}
