/** The shop's orders. Yours is a repository over a database. */
export interface Order {
  readonly id: string
  readonly phone: string
  state: 'packing' | 'ready' | 'collected'
  /** The status of the message that the order is ready, if the service has reported one. */
  told: 'no' | 'delivered' | 'failed'
}

export interface OrdersRepo {
  find(id: string): Promise<Order | undefined>
  save(order: Order): Promise<void>
}

export function ordersInMemory(): OrdersRepo {
  const orders = new Map<string, Order>([
    ['7781', { id: '7781', phone: '255712000101', state: 'packing', told: 'no' }],
    ['7782', { id: '7782', phone: '255712000102', state: 'packing', told: 'no' }],
  ])
  return {
    find: async (id) => orders.get(id),
    save: async (order) => void orders.set(order.id, order),
  }
}
