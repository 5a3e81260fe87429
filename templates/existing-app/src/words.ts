/** All that the shop says to its customers. */
export const WORDS = {
  which: 'Send us the number of your order, for instance 7781.',
  order: (id: string, state: string) => `Order ${id}: ${state}.`,
  states: { packing: 'packing', ready: 'ready', collected: 'collected' },
  unknown: (id: string) => `We know no order ${id}.`,
  ready: (id: string) => `Order ${id} is ready.`,
}

/** The templates in the service's dashboard, for customers who have not written within 24 hours. */
export const LANGUAGE = 'en'
export const TEMPLATES = {
  order_ready: 'Your order {{1}} is ready.',
  pickup_reminder: 'Your order {{1}} still waits for you.',
}
