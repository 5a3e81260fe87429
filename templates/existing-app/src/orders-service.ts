/** The shop's own service class, which now takes a `Sender`. A `Sender` is easy to fake. */
import { type Sender, template } from 'switchhook'
import type { Order, OrdersRepo } from './orders.ts'
import { LANGUAGE, WORDS } from './words.ts'

export class OrdersService {
  readonly #repo: OrdersRepo
  readonly #sender: Sender

  constructor(repo: OrdersRepo, sender: Sender) {
    this.#repo = repo
    this.#sender = sender
  }

  find(id: string): Promise<Order | undefined> {
    return this.#repo.find(id)
  }

  /** Tells the customer now and reminds them tomorrow. Called twice it sends once, because of the keys. */
  async ready(id: string): Promise<void> {
    const { phone } = await this.#change(id, { state: 'ready' })
    const customer = this.#sender.to(phone)
    await customer.send(WORDS.ready(id), {
      key: ['order', id, 'ready'],
      ref: id, // returned with the statuses
      wait: 'stored', // stored on disk is enough: the request does not wait for the service
      outsideWindow: template('order_ready', LANGUAGE, { body: [id] }),
    })
    await customer.send(template('pickup_reminder', LANGUAGE, { body: [id] }), {
      key: ['order', id, 'pickup'],
      at: '24h', // by the service's time, so that it follows the emulator's clock
    })
  }

  /** Cancels the reminder, since the order is collected. */
  async collected(id: string): Promise<void> {
    await this.#change(id, { state: 'collected' })
    await this.#sender.cancel(['order', id, 'pickup'])
  }

  async told(id: string, told: Order['told']): Promise<void> {
    await this.#change(id, { told })
  }

  async #change(id: string, change: Partial<Order>): Promise<Order> {
    const order = await this.#repo.find(id)
    if (!order) throw new Error(`there is no order ${id}`)
    const changed = { ...order, ...change }
    await this.#repo.save(changed)
    return changed
  }
}
