import type { Base, Env, Message } from './context.ts'
import type { ConversationDefinition } from './conversation.ts'
import type { Handler } from './routes.ts'
import type { ClosingRoute, DeadHandler, ErrorHandler, EventRoute, Layer, MessageRoute, Saying } from './table.ts'
import type { TapOpener } from './tap.ts'

/**
 * The error handlers of one table. An error goes to those of its route's table, then to those of the tables around it.
 */
export interface Boundary {
  readonly errorHandlers: readonly { readonly id: string; readonly handler: ErrorHandler }[]
  readonly deadHandlers: readonly { readonly id: string; readonly handler: DeadHandler }[]
  /** The `with` layers that make the context which these handlers expect. */
  readonly layers: readonly Layer[]
}

export interface CompiledRoute extends MessageRoute {
  /** The layers in front of the route, outermost first. */
  readonly layers: readonly Layer[]
  /** Innermost first. */
  readonly boundaries: readonly Boundary[]
}

/** A handler of something that is no message; each has its own progress. */
export interface CompiledHandler {
  readonly id: string
  readonly handler: Handler<Base<Env>>
  readonly boundaries: readonly Boundary[]
}

export interface CompiledEventRoute extends EventRoute, CompiledHandler {}

export interface CompiledClosing extends ClosingRoute, CompiledHandler {}

/** A conversation of a bot, under the name that the database has. */
export interface CompiledConversation {
  /** Names its replies in `onEnd`, and the failures of its script, as a route's id does. */
  readonly id: string
  readonly name: string
  readonly definition: ConversationDefinition
  readonly layers: readonly Layer[]
  readonly boundaries: readonly Boundary[]
}

export interface Candidate {
  readonly route: CompiledRoute
  readonly extra: object
}

export interface CompiledRoutes {
  /**
   * The routes that take a message, in the order of `next()`. Each is matched only when the iterator reaches it. Of a
   * burst the last message is asked for first: where no route takes it, the one before it, and `otherwise` at the end.
   */
  candidates(messages: readonly Message[], opener: TapOpener): Iterator<Candidate>
  /** A route that has opted out of bursts may take this message. */
  standsAlone(message: Saying): boolean
  /** The id that names a layer's replies, as a route's id does, and the boundaries that hear of its failure. */
  layerInfo(layer: Layer): LayerInfo
  /** The layers that every message goes through, whether or not a route takes it. */
  readonly layers: readonly Layer[]
  readonly events: readonly CompiledEventRoute[]
  readonly failedSends: readonly CompiledHandler[]
  readonly closings: readonly CompiledClosing[]
  /** By name. */
  readonly conversations: ReadonlyMap<string, CompiledConversation>
  /** The boundaries of code that belongs to no route. */
  readonly boundaries: readonly Boundary[]
  readonly takesMessages: boolean
  /** How many routes there are, for messages and for events. */
  readonly count: number
}

export interface LayerInfo {
  readonly id: string
  readonly boundaries: readonly Boundary[]
}
