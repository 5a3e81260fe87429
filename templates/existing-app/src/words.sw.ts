/** All that the shop says to its customers. */
export const WORDS = {
  which: 'Karibu! Tafadhali tuma namba ya oda yako, kwa mfano 7781.',
  order: (id: string, state: string) => `Oda ${id}: ${state}.`,
  states: { packing: 'inafungashwa', ready: 'iko tayari', collected: 'imechukuliwa' },
  unknown: (id: string) => `Samahani, hatuna oda yenye namba ${id}.`,
  ready: (id: string) => `Oda ${id} iko tayari.`,
}

/** The templates in the service's dashboard, for customers who have not written within 24 hours. */
export const LANGUAGE = 'sw'
export const TEMPLATES = {
  order_ready: 'Oda yako {{1}} iko tayari.',
  pickup_reminder: 'Oda yako {{1}} bado inakusubiri.',
}
