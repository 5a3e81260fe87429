import type { CustomerView } from '../../emulator/control/customers.ts'
import type { Control } from '../support/running-emulator.ts'
import { type ActivityLine, type EmulatorEvent, shortened } from './wire.ts'

/** A line for each customer's window that a move of the clock has closed. */
export async function closedWindows(control: Control, { clock, movedMs }: EmulatorEvent): Promise<ActivityLine[]> {
  const now = Date.parse((clock as { readonly now: string }).now)
  const { items } = await control.get<{ readonly items: readonly CustomerView[] }>('customers')
  return items.flatMap(({ customer, windows }) =>
    windows
      .filter(({ closesAt }) => Date.parse(closesAt) <= now && Date.parse(closesAt) > now - Number(movedMs))
      .map(({ number }) => {
        const to = windows.length > 1 ? ` to ${number}` : ''
        const whose = `the window of ${shortened(customer)}${to}`
        return { tone: 'note', text: `*** ${whose} is closed: only a template gets through until they write again` }
      }),
  )
}
