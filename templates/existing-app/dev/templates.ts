/** The templates as the service's dashboard has them, for `npm run dev` and the tests. */
export const templates = [
  { name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' },
  { name: 'pickup_reminder', language: 'en', body: 'Your order {{1}} still waits for you.' },
]
