/** Switchhook: bots on the Messaging Developer API v2. */
export { type Bot, createBot, type Sender, type SenderReach } from './app/bot.ts'
export type { StartOptions } from './app/options.ts'
export type { Hooks, Observed } from './report/index.ts'
export type { SessionOptions } from './app/data-options.ts'
export type { NumberOptions, NumberSource, Source } from './app/numbers.ts'
export type { BotOptions } from './app/options.ts'

export {
  audio,
  buttons,
  type Choice,
  type Content,
  document,
  type Freeform,
  image,
  link,
  list,
  type OneTimeCode,
  oneTimeCode,
  type OneTimeCodes,
  type Option,
  type Template,
  template,
  type TemplateParameters,
  type Templates,
  text,
  video,
} from './content/index.ts'

export { GiveUp, media, RetryIn, routes, tap } from './routes/index.ts'
export type {
  Answer,
  AskOptions,
  Chat,
  ContextOf,
  Conversation,
  ConversationOptions,
  CustomerContext,
  EndReason,
  Env,
  EventContext,
  FailedSendContext,
  Handler,
  MediaFact,
  Message,
  MessageContext,
  Next,
  Payloads,
  Reach,
  RouteOptions,
  Routes,
  Said,
  SayOptions,
  StatusContext,
  Tap,
} from './routes/index.ts'
export {
  AttemptOver,
  OutsideWindow,
  type ReplyOptions,
  type Send,
  type SendOptions,
  type SendResult,
  type Status,
} from './outbox/index.ts'

export type { Duration } from './base/duration.ts'
export { type ErrorCode, SwitchhookError } from './base/errors.ts'
export type { Log } from './base/log.ts'

export type { AnyBot } from './receive/bot-internals.ts'
export { type Refused, signDelivery, type Verified, verifyDelivery } from './receive/signature.ts'
