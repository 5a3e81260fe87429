import type { TemplateOut } from '../../../service/contract.ts'
import type { ClockView } from '../../../emulator/control/clock-control.ts'
import type { CustomerView } from '../../../emulator/control/customers-control.ts'
import type { Control } from '../support/running-emulator.ts'
import { changeFaults, FAULT_COLUMNS, FAULTS_HELP, NO_FAULT } from '../support/fault-rules.ts'
import { type Column, spanText, tableLines } from '../support/output.ts'

interface Talk {
  readonly customer: () => string
  /** The id of the number that the customer writes to. */
  readonly number: () => string | undefined
  readonly print: (line: string) => void
}

/** The commands of the terminal that show the service or break it. Each gets the text after its name. */
export function serviceCommands(control: Control, { customer, number, print }: Talk) {
  const items = async <T>(path: string) => (await control.get<{ items: T[] }>(path)).items
  const table = <Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[], none = '') =>
    rows.length === 0 ? none : tableLines(rows, columns).join('\n')
  const show = (text: string) => print(`  ${text.replaceAll('\n', '\n  ')}`)

  const customers = async () => {
    const { now } = await control.get<ClockView>('clock')
    const known = await items<CustomerView>('customers')
    const isKnown = known.some((one) => one.customer === customer())
    const all = isKnown ? known : [{ customer: customer(), items: 0, windows: [] }, ...known]
    return all.map(({ customer: digits, items: messages, windows }) => {
      const closesAt = windows.find((one) => one.number === number())?.closesAt ?? now
      const leftMs = Date.parse(closesAt) - Date.parse(now)
      const window = leftMs > 0 ? `open for ${spanText(leftMs)}` : 'closed'
      return { customer: digits, messages, window, closesAt }
    })
  }

  return {
    async '/fault'(argument: string) {
      const words = argument.split(/\s+/).filter(Boolean)
      const armed = table(await changeFaults(control, words), FAULT_COLUMNS, NO_FAULT)
      show(words.length === 0 ? `${armed}\n${FAULTS_HELP}` : armed)
    },
    async '/window'() {
      const { window, closesAt } = (await customers()).find((one) => one.customer === customer()) ?? {}
      const meaning =
        window === 'closed' ? 'only templates arrive until you write' : `free text arrives until ${closesAt}`
      show(`The window is ${window}: ${meaning}.`)
    },
    async '/templates'() {
      const columns: Column<TemplateOut>[] = [
        'name',
        'language',
        ['state', ({ unsendable_reason: reason }) => reason ?? 'sendable'],
        ['text', ({ components }) => components.find(({ type }) => type === 'BODY')?.['text']],
      ]
      show(
        table(
          await items<TemplateOut>('templates'),
          columns,
          'There are no templates; dev --templates FILE adds some.',
        ),
      )
    },
    async '/who'() {
      const name = (digits: string) => (digits === customer() ? `${digits} (you)` : digits)
      show(table(await customers(), [['customer', (one) => name(one.customer)], 'messages', 'window']))
    },
  }
}
