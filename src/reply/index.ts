/** What goes out: keys, the window, the outbox. */
export { AttemptOver, OutsideWindow } from './errors.ts'
export { fallbackKey, keyOf } from './key.ts'
export { createOutbox, type Outbox, type OutboxRoom, type SendReport } from './outbox.ts'
export { APP, say, type Saying, type SayRoom } from './say.ts'
export { asSend, type Send, sendOf, type SendResult, type Status } from './send.ts'
export { type Window, windowAt } from './window.ts'
