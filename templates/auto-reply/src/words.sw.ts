/** All that the bot says. */
export const WORDS = {
  help: 'Karibu! Tukusaidie nini?',
  hours: 'Saa za kazi',
  open: 'Tuko wazi Jumatatu hadi Jumamosi, saa 3 asubuhi hadi saa 11 jioni.',
  track: 'Fuatilia oda',
  which: 'Tafadhali tuma namba ya oda yako, kwa mfano 7781.',
  order: (order: string, state: string) => `Oda ${order} ${state}.`,
  states: { ready: 'iko tayari kuchukuliwa', underway: 'iko njiani' },
  unknown: (order: string) => `Samahani, hatuna oda yenye namba ${order}.`,
  sorry: 'Samahani, imeshindikana. Tafadhali jaribu tena baadaye.',
}
