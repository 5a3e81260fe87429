import type { Emulator } from '../../emulator/index.ts'
import { isCustomer } from '../arguments.ts'
import { canBeTold, UNTOLD } from '../untold.ts'
import { type Option, optionsOf, rendered, type Shown } from './rendered.ts'

/** What the customer does and sees, whatever it is typed into. */
export interface Talk {
  /** Who is speaking. */
  customer(): string
  /** Does what a line says; rejects with what is wrong with it. */
  said(line: string): Promise<void>
  /** Prints what has arrived since the last look. */
  look(): Promise<void>
}

const SPAN = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/

export function openTalk(emulator: Emulator, first: string, print: (line: string) => void): Talk {
  let customer = first
  const offered = new Map<string, readonly Option[]>()
  const shown = new Set<string>()

  const become = (digits: string) => {
    if (!isCustomer(digits)) throw new Error('/as needs the 6 to 20 digits of a phone number: /as 255712000102')
    customer = digits
  }

  const move = async (span: string) => {
    // As `switchhook clock` takes it, too.
    const forward = span.replace(/^\+/, '')
    if (!SPAN.test(forward)) throw new Error('/clock needs a span: /clock 25h')
    await emulator.clock.advance(forward, { tellApp: true })
    const wasTold = canBeTold(await emulator.deliveries.list(), await emulator.subscriptions.list())
    if (!wasTold) print(`  ${UNTOLD}`)
  }

  return {
    customer: () => customer,
    async said(line) {
      const text = line.trim()
      const [command, argument = ''] = text.split(/\s+/, 2)
      if (text === '') return
      if (command === '/clock') return move(argument)
      if (command === '/as') return become(argument)
      const option = /^\d{1,2}$/.test(text) ? offered.get(customer)?.[Number(text) - 1] : undefined
      const phone = emulator.customer(customer)
      const { deliveryIds } = await (option ? phone.taps(option.id) : phone.says(text))
      if (deliveryIds.length === 0)
        print('  x not delivered: the endpoint is disabled, too many deliveries failed in a row; start again')
    },
    async look() {
      for (const item of (await emulator.customer(customer).thread()) as unknown as readonly Shown[]) {
        if (item.direction !== 'OUTBOUND' || shown.has(item.id)) continue
        shown.add(item.id)
        if (optionsOf(item).length > 0) offered.set(customer, optionsOf(item))
        print(rendered(item))
      }
    },
  }
}
