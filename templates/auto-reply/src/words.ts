/** All that the bot says. */
export const WORDS = {
  help: 'Welcome! How can we help?',
  hours: 'Opening hours',
  open: 'We are open from 9 to 17, Monday to Saturday.',
  track: 'Track order',
  which: 'Send us the number of your order, for instance 7781.',
  order: (order: string, state: string) => `Order ${order} is ${state}.`,
  states: { ready: 'ready to be picked up', underway: 'on its way' },
  unknown: (order: string) => `We know no order ${order}.`,
  when: 'When shall we call you?',
  willCall: (when: string) => `We will call you: ${when}.`,
  sorry: 'Sorry, that did not work. Please try again later.',
}
