import { createMediaFiles, type MediaFiles } from './media/files.ts'
import { randomBytes } from 'node:crypto'
import type { ResolvedOptions } from './options.ts'
import { createState, type State } from './state.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** The present state, and the timeline of what happens in it. */
export interface World {
  readonly state: State
  /** The files that customers send. */
  readonly media: MediaFiles
  readonly timeline: Timeline
  /** Starts over with a new state. */
  reset(): void
  close(): void
}

export function createWorld(options: ResolvedOptions): World {
  const { webhook, secret, token: accessToken } = options
  let state: State
  const timeline = createTimeline(() => state.clock.now(), randomBytes(4).toString('hex'))
  const begin = (): void => {
    state = createState({ ...options, accessToken, record: timeline.add })
    if (webhook !== undefined) state.subscriptions.register(webhook, secret)
  }
  begin()

  return {
    media: createMediaFiles(),
    get state() {
      return state
    },
    timeline,
    reset() {
      state.close()
      begin()
      timeline.add('resync')
    },
    close: () => state.close(),
  }
}
