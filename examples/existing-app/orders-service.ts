/** An existing service class that now takes a `Sender`. */
import { oneTimeCode, type Sender, template } from 'switchhook'
import type { Order, OrdersRepo } from './orders.ts'

export class OrdersService {
  readonly repo: OrdersRepo
  readonly sender: Sender

  constructor(repo: OrdersRepo, sender: Sender) {
    this.repo = repo
    this.sender = sender
  }

  /** Tells the customer, inside the window or outside, and reminds them tomorrow. Each key is sent only once. */
  async ready(id: string): Promise<void> {
    const order = await this.#change(id, { state: 'ready' })
    const customer = this.sender.to(order.phone)
    await customer.send(`Order ${id} is ready.`, {
      key: ['ready', id],
      ref: id, // returned with the statuses
      wait: 'stored', // stored on disk is enough: the request does not wait for the service
      outsideWindow: template('order_ready', 'en', { body: [id] }),
    })
    await customer.send(template('pickup_reminder', 'en', { body: [id] }), {
      key: ['pickup', id],
      at: '24h', // by the service's time, so that a test's clock can jump to it
    })
  }

  /** Cancels the reminder, since the order is collected. */
  async collected(id: string): Promise<void> {
    await this.#change(id, { state: 'collected' })
    await this.sender.cancel(['pickup', id])
  }

  async told(id: string, told: Order['told']): Promise<void> {
    await this.#change(id, { told })
  }

  /** `attempt` names one attempt to log in; another attempt gets another code. */
  async sendLoginCode(phone: string, code: string, attempt: string): Promise<void> {
    await this.sender.to(phone).send(oneTimeCode('login_code', 'en', code), { key: ['login', attempt] })
  }

  async #change(id: string, change: Partial<Order>): Promise<Order> {
    const order = await this.repo.find(id)
    if (!order) throw new Error(`there is no order ${id}`)
    const changed = { ...order, ...change }
    await this.repo.save(changed)
    return changed
  }
}
