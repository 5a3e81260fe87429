// The page includes this file in its bundle, so it imports nothing.

/** The faults of a send, in words. */
export const SEND_FAULTS = {
  status: 'the service answers with an error, and nothing is sent',
  cut_before: 'the connection is cut before acceptance: nothing is sent',
  time_out: 'no answer comes, and nothing is sent',
  lose_answer: 'the message is accepted, then the connection is closed without an answer',
  late_answer: 'the message is accepted, and no answer comes',
  unreadable_answer: 'the message is accepted, and the 200 contains no JSON',
} as const

export const DELIVERY_FAULTS = {
  late: ['timing', 'the first attempt is made only after `by` (default 10m)'],
  shuffle: [
    'timing',
    'it waits until a later one has gone out, or for 2 seconds; waiting ones go out in reverse order',
  ],
  duplicate: ['twice', 'the first attempt is made twice at the same time, under one id'],
  tamper: ['signing', 'its body is changed after signing'],
  stale: ['signing', 'its timestamp is `by` old (default 301s)'],
  lose_answer: ['answer', "the app's answer counts as lost, so that it is retried"],
} as const
