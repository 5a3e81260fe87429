/** Switchhook: bots on the Messaging Developer API v2. */
export { type Bot, createBot, type Sender, type SenderReach } from './bot.ts'
export type { StartOptions } from './options.ts'
export type { Hooks, Observed } from './report/observers.ts'
export type { SessionOptions } from './work/session.ts'
export type { NumberOptions, NumberSource, Source } from './number-options.ts'
export type { BotOptions } from './options.ts'

export { audio, buttons, document, image, link, list, text, video } from '../service/interactive.ts'
export type { Choice, Content, Freeform, OneTimeCode, Option, Template } from '../service/content.ts'
export { oneTimeCode } from '../service/one-time-code.ts'
export { type OneTimeCodes, template, type TemplateParameters, type Templates } from '../service/template.ts'

export { GiveUp, RetryIn } from './routes/routes.ts'
export { routes } from './routes/register.ts'
export { tap } from './routes/tap.ts'
export type { ContextOf } from './routes/register.ts'
export type {
  CustomerContext,
  Env,
  EventContext,
  FailedSendContext,
  HistoryEntry,
  MediaFact,
  Message,
  MessageContext,
  OptedOut,
  OptOutOptions,
  Payloads,
  Reach,
  StatusContext,
} from './routes/context.ts'
export type { Handler, Next, RouteOptions, Routes } from './routes/routes.ts'
export type { Tap } from './routes/tap.ts'
export type { Recipient } from '../service/recipient.ts'
export * from '../built-in/public.ts'
export { AttemptOver, OutsideWindow, type Send, type SendResult, type Status } from './outbox/send.ts'
export type { ReplyOptions, SendOptions } from './outbox/send-options.ts'

export type { Duration } from '../base/duration.ts'
export { type ErrorCode, SwitchhookError } from '../base/errors.ts'
export type { Log } from '../base/log.ts'

export type { AnyBot } from './bot-internals.ts'
export { type Refused, signDelivery, type Verified, verifyDelivery } from './inbox/signature.ts'
