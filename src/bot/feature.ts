import type { Hooks } from './report/observers.ts'
import type { Watcher } from './watcher.ts'

/** What a feature adds to a bot. The app adds it, by a function of the feature's own entry point. */
export interface Feature {
  /** The function that the app calls. */
  readonly name: string
  /** Functions that hear what has happened. They may come before or after the start. */
  readonly hooks?: Hooks
  /** Follows work while it runs. A bot that is started accepts none. */
  readonly watcher?: Watcher
}
