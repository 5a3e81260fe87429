import { createMediaFiles, type MediaFiles } from './media/files.ts'
import { randomBytes } from 'node:crypto'
import { type DataFile, openDataFile } from './data-file.ts'
import { newKeySecret } from './model/key-record.ts'
import type { ResolvedOptions } from './options.ts'
import { advanceSnapshot, type Snapshot } from './snapshot.ts'
import { createState, type State } from './state.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** The present state, the timeline of what happens in it, and the file that keeps it. */
export interface World {
  readonly state: State
  /** The files that customers send. */
  readonly media: MediaFiles
  readonly timeline: Timeline
  /** Starts over, or goes on from a snapshot; answers the new state. */
  renew(snapshot?: Snapshot): State
  save(): void
  close(): void
}

export function createWorld(options: ResolvedOptions): World {
  const file = options.data === undefined ? undefined : openDataFile(options.data)
  const keySecret = newKeySecret()
  let state: State
  const timeline = createTimeline(() => state.clock.now(), randomBytes(4).toString('hex'))
  const saver = createSaver(file, () => state)

  const begin = (saved?: Snapshot): State => {
    state = createState(
      {
        ...options,
        accessToken: options.token,
        keySecret,
        record(kind, about) {
          timeline.add(kind, about)
          saver.soon()
        },
        performed: saver.soon,
        changed(what, id) {
          file?.mark(what, id)
          saver.soon()
        },
      },
      saved,
    )
    return state
  }

  const first = (): State => {
    try {
      const found = file?.read()
      return found
        ? reopened(begin(advanceSnapshot(found, options.wall().getTime())), options)
        : fresh(begin(), options)
    } catch (error) {
      file?.close()
      throw error
    }
  }
  state = first()
  saver.all()

  return {
    media: createMediaFiles(),
    get state() {
      return state
    },
    timeline,
    renew(snapshot) {
      state.close()
      if (snapshot) begin(snapshot)
      else fresh(begin(), options)
      saver.all()
      timeline.add('resync')
      return state
    },
    save: saver.now,
    close() {
      saver.now()
      state.close()
      saver.stop()
      file?.close()
    },
  }
}

/** Registers the webhook of the options. */
function fresh(state: State, { webhook, secret }: ResolvedOptions): State {
  if (webhook !== undefined) state.subscriptions.register(webhook, secret)
  return state
}

/** Applies the given options, which win over the file; values made up for this run do not. */
function reopened(state: State, { webhook, given }: ResolvedOptions): State {
  const [first] = state.account.numbers
  if (given.token !== undefined && first) first.token = given.token
  Object.assign(state.assumptions, given.assumptions)
  const known = webhook === undefined ? undefined : state.subscriptions.byUrl(webhook)
  if (known && given.secret !== undefined) known.secret = given.secret
  if (webhook !== undefined && known === undefined) state.subscriptions.register(webhook, given.secret)
  return state
}

/** Saves at the end of each turn of the event loop with changes; warns once if the file cannot be written. */
function createSaver(file: DataFile | undefined, state: () => State) {
  let waiting: NodeJS.Immediate | undefined
  let hasFailed = false
  let isStopped = false
  const attempt = (write: () => void) => {
    try {
      write()
      hasFailed = false
    } catch (error) {
      if (!hasFailed) process.emitWarning(`The emulator's data cannot be written: ${String(error)}`)
      hasFailed = true
    }
  }
  const now = () => {
    clearImmediate(waiting)
    waiting = undefined
    if (file && !isStopped) attempt(() => file.save(state()))
  }
  return {
    now,
    all: () => file && attempt(() => file.saveAll(state())),
    soon: () => {
      if (file && !isStopped) waiting ??= setImmediate(now)
    },
    stop() {
      isStopped = true
      clearImmediate(waiting)
    },
  }
}
