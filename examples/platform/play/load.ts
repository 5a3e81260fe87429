/** The load: customers of all tenants, who order one thing after another. */
import type { EmulatedCustomer } from 'switchhook/emulator'
import type { Service } from './service.ts'
import { type Tally, tallyOf } from './phones.ts'

const CUSTOMERS_OF_A_TENANT = 5
const FRUIT = ['mangoes', 'bananas', 'oranges', 'papayas', 'limes']

export interface Load {
  /** A tenant's customers begin to write. */
  add(number: string): void
  stop(): void
  tally(): Promise<Tally>
  /** The service makes its next attempt at each delivery that failed, instead of waiting for its time. */
  retry(): Promise<void>
}

/** @param rate orders a second, of all customers together. */
export function startLoad(service: Service, rate: number): Load {
  const customers: EmulatedCustomer[] = []
  let written = 0
  const write = () => {
    const customer = customers[written % customers.length]
    if (!customer) return
    written++
    void customer.says(`order ${written} ${FRUIT[written % FRUIT.length]}`)
  }
  const timer = setInterval(write, 1_000 / rate)
  return {
    add(number) {
      const { emulator } = service.workspaces().find((workspace) => workspace.number === number) ?? {}
      const first = 255_712_000_000 + customers.length
      for (let at = 0; emulator && at < CUSTOMERS_OF_A_TENANT; at++)
        customers.push(emulator.customer(String(first + at)))
    },
    stop: () => clearInterval(timer),
    tally: async () => tallyOf(await Promise.all(customers.map((customer) => customer.thread()))),
    async retry() {
      await Promise.all(service.workspaces().map(({ emulator }) => emulator.deliveries.retry()))
    },
  }
}
