import type { CustomerView } from '../../emulator/control/customers.ts'
import type { Happening } from '../../emulator/happening.ts'
import type { Control } from '../support/running-emulator.ts'
import { type ActivityLine, shortened } from './wire.ts'

/** A line for each customer's window that a move of the clock has closed. */
export async function closedWindows(
  control: Control,
  { clock, movedMs }: Extract<Happening, { kind: 'clock' }>,
): Promise<ActivityLine[]> {
  const now = Date.parse(clock.now)
  const { items } = await control.get<{ readonly items: readonly CustomerView[] }>('customers')
  return items.flatMap(({ customer, windows }) =>
    windows
      .filter(({ closesAt }) => Date.parse(closesAt) <= now && Date.parse(closesAt) > now - movedMs)
      .map(({ number }) => {
        const to = windows.length > 1 ? ` to ${number}` : ''
        const whose = `the window of ${shortened(customer)}${to}`
        return { tone: 'note', text: `*** ${whose} is closed: only a template gets through until they write again` }
      }),
  )
}
