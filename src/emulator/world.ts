import { randomBytes } from 'node:crypto'
import { type Data, openData } from './data-file.ts'
import type { ResolvedOptions } from './options.ts'
import { newKeySecret } from './model/key-record.ts'
import type { Snapshot } from './snapshot.ts'
import { runOn } from './take-snapshot.ts'
import { createState, type State } from './state.ts'
import { createHappenings, type Happenings } from './timeline.ts'
import { performTask } from './tasks.ts'

/** The state that holds now, what is told of it, and the file that keeps it. */
export interface World {
  readonly state: State
  readonly happenings: Happenings
  /** Begins anew, or goes on from a snapshot; answers the state that then holds. */
  renew(snapshot?: Snapshot): State
  /** Writes to the file what has changed, where there is one. */
  save(): void
  close(): void
}

export function createWorld(options: ResolvedOptions): World {
  const data = options.data === undefined ? undefined : openData(options.data)
  const keySecret = newKeySecret()
  let state: State
  const happenings = createHappenings(() => state.clock.now(), randomBytes(4).toString('hex'))
  const saver = createSaver(data, () => state)

  const begin = (saved?: Snapshot): State => {
    const begun = createState(
      {
        ...options,
        accessToken: options.token,
        keySecret,
        tell: (kind, about) => {
          happenings.tell(kind, about)
          saver.soon()
        },
        // What is due later runs in no request: it must not bring the process down.
        perform: (task) => {
          try {
            performTask(begun, task)
          } catch (error) {
            process.emitWarning(error instanceof Error ? error : String(error))
          }
          saver.soon()
        },
        changed: (collection, id) => {
          data?.mark(collection, id)
          saver.soon()
        },
      },
      saved,
    )
    state = begun
    return begun
  }

  const first = (): State => {
    try {
      const found = data?.read()
      return found ? reopened(begin(runOn(found, options.wall().getTime())), options) : subscribed(begin(), options)
    } catch (error) {
      data?.close()
      throw error
    }
  }
  state = first()
  saver.all()

  return {
    get state() {
      return state
    },
    happenings,
    renew(snapshot) {
      state.close()
      if (snapshot) begin(snapshot)
      else subscribed(begin(), options)
      saver.all()
      happenings.tell('resync')
      return state
    },
    save: saver.now,
    close() {
      saver.now()
      state.close()
      saver.stop()
      data?.close()
    },
  }
}

function subscribed(state: State, { webhook, secret }: ResolvedOptions): State {
  if (webhook !== undefined) state.subscriptions.register(webhook, secret)
  return state
}

/** What was given for this run holds over what the file says; what was only made up does not. */
function reopened(state: State, { webhook, given }: ResolvedOptions): State {
  const [first] = state.account.numbers
  if (given.token !== undefined && first) first.token = given.token
  Object.assign(state.assumptions, given.assumptions)
  const known = webhook === undefined ? undefined : state.subscriptions.byUrl(webhook)
  if (known && given.secret !== undefined) known.secret = given.secret
  if (webhook !== undefined && known === undefined) state.subscriptions.register(webhook, given.secret)
  return state
}

/** Saves at the end of a turn in which something happened; a file that cannot be written is told of, once. */
function createSaver(data: Data | undefined, state: () => State) {
  let waiting: NodeJS.Immediate | undefined
  let failed = false
  const safely = (run: () => void) => {
    try {
      run()
      failed = false
    } catch (error) {
      if (!failed) process.emitWarning(`The emulator's data cannot be written: ${String(error)}`)
      failed = true
    }
  }
  let stopped = false
  const now = () => {
    clearImmediate(waiting)
    waiting = undefined
    if (data && !stopped) safely(() => data.save(state()))
  }
  return {
    now,
    all: () => data && safely(() => data.saveAll(state())),
    soon: () => {
      if (data && !stopped) waiting ??= setImmediate(now)
    },
    stop() {
      stopped = true
      clearImmediate(waiting)
    },
  }
}
