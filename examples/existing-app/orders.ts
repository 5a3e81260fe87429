/** The shop's orders. Yours is a repository over a database. */
export interface Order {
  readonly id: string
  readonly phone: string
  state: 'packing' | 'ready' | 'collected'
  /** The status of the message that the order is ready, as the service reported it. */
  told: 'no' | 'delivered' | 'failed'
}

export interface OrdersRepo {
  find(id: string): Promise<Order | undefined>
  save(order: Order): Promise<void>
}

export function ordersInMemory(orders: readonly Order[]): OrdersRepo {
  const byId = new Map(orders.map((order) => [order.id, order]))
  return {
    find: async (id) => byId.get(id),
    save: async (order) => void byId.set(order.id, order),
  }
}
