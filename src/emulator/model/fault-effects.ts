// The page includes this file in its bundle, so it imports nothing.

/** The faults of a send. Before acceptance nothing is sent; after acceptance the message is on the phone. */
export const SEND_FAULTS = {
  status: 'the service answers with an error, and nothing is sent',
  cut_before: 'the connection is cut before acceptance: nothing is sent',
  time_out: 'no answer comes, and nothing is sent',
  lose_answer: 'the message is accepted, then the connection is closed without an answer',
  cut_after: 'the message is accepted, then the connection is reset',
  late_answer: 'the message is accepted, and no answer comes',
  half_answer: 'the message is accepted, and the connection is cut in the middle of the answer',
  unreadable_answer: 'the message is accepted, and the 200 contains no JSON, or the text of `answer`',
  hold_key: 'like lose_answer, and the key stays in flight for `answers` repeats, or until it is released',
  forget_key: 'like lose_answer, and the service forgets the key',
} as const

export const DELIVERY_FAULTS = {
  unknown_fields: ['payload', 'the payload contains unknown members, at its top and beside its facts'],
  unknown_event: ['beside', 'an extra delivery of an unknown event goes out too'],
  late: ['timing', 'the first attempt is made only after `by` (default 10m)'],
  shuffle: ['timing', 'it is held until a later one has gone out, or for 2 seconds; held ones go out in reverse order'],
  duplicate: ['twice', 'the first attempt is made twice at the same time, under one id'],
  tamper: ['signing', 'the `what` (body by default, signature or timestamp) is changed after signing'],
  stale: ['signing', 'its timestamp is `by` old (default 301s)'],
  wrong_secret: ['signing', 'it is signed with another secret'],
  lose_answer: ['answer', "the app's answer counts as lost, so that it is retried"],
} as const
