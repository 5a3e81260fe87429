/** Routes as an app registers them: patterns with their handlers, the contexts of handlers, and taps. */
export * from './compile.ts'
export type * from './context.ts'
export {
  type Answer,
  type AskOptions,
  type Chat,
  type ConversationDefinition,
  type ConversationOptions,
  defineConversation,
  definitionOf,
  type EndReason,
  media,
  type MediaAnswer,
  type SayOptions,
} from './conversation.ts'
export { fold } from './pattern.ts'
export { attachTable, type ContextOf, routeMethods, routes } from './register.ts'
export { GiveUp, type Handler, type Next, RetryIn, type RouteOptions, type Routes, type Verdict } from './routes.ts'
export { type Layer, RouteTable } from './table.ts'
export { tap, type Tap, type TapOpener } from './tap.ts'
