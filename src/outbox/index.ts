/** Every message that goes out: its options, its key, the window, the attempts and what became of it. */
export { createOutbox, type Outbox } from './outbox.ts'
export { type FailedSend, failedSendIn } from './send.ts'
export type { CodeIntent } from './one-time-codes.ts'
export { APP_CAUSE, maskedSlot, type SendIntent } from './record-send.ts'
export { asSend, AttemptOver, OutsideWindow, type Send, sendOf, type SendResult, type Status } from './send.ts'
export {
  checkedCodeKey,
  checkedInHandler,
  checkedReply,
  checkedSend,
  type HandlerSendOptions,
  type ReplyOptions,
  type SendKey,
  type SendOptions,
  slotOf,
} from './send-options.ts'
export { type Agent, agentOf, createTakeover, type Takeover } from './takeover.ts'
export { createTapSigner } from './tap-signature.ts'
export type { SendReport, SettledSendAttempt } from './types.ts'
export { timersOfWindow, type Window, windowAt } from './window.ts'
