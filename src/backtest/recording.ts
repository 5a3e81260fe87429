import { optionsInvalid } from '../base/errors.ts'
import { parseJson } from '../base/value.ts'
import type { Shown } from '../testing/message-view.ts'
import type { ScenarioTemplate } from '../testing/play/file.ts'

export interface Recorded {
  /** The delivery's id, or the line of a file. */
  readonly id: string
  readonly event: string
  /** Service time of its arrival, in milliseconds since the epoch. */
  readonly at: number
  /** The bot's number that it came to, by its name; default: the first. */
  readonly number?: string
  /** The bytes, as text. */
  readonly body: string
  /** The result of each `once` of its items, as it was stored, by item and name. These effects do not run again. */
  readonly once?: readonly { readonly idx: number; readonly name: string; readonly result: string }[]
  /** The ids of the recorded conversations that it entered. */
  readonly entered?: readonly string[]
}

/** A recorded conversation: what each `once` of its script gave, in their order. These effects do not run again. */
export interface RecordedConversation {
  readonly id: string
  readonly name: string
  readonly once: readonly { readonly name: string; readonly result: string }[]
}

/** The world in which deliveries are played: the same for each version of a bot. */
export interface WorldOptions {
  readonly templates: readonly ScenarioTemplate[]
  /** Recorded conversations; absent: none is known. */
  readonly conversations?: readonly RecordedConversation[]
  /** Hosts beside this machine that the app may call. */
  readonly allow: readonly string[]
}

/** A message that went out to a phone, or that the service refused. */
export interface Said extends Pick<Shown, 'kind' | 'text' | 'options'> {
  readonly to: string
  readonly template?: NonNullable<Shown['template']>
  readonly refused?: NonNullable<Shown['refused']>
  /** The address of its media. */
  readonly media?: string
  /** All else that the phone shows of it, as JSON. */
  readonly more?: string
  /** A template instead of the message that was meant, since the window was closed. */
  readonly fellBack: boolean
}

export type Outcome = 'handled' | 'ignored' | 'retried' | 'parked' | 'dead' | 'quarantined' | 'not_handled'

export interface Played {
  readonly outcome: Outcome
  /** The route that took it; several, if it had several items. */
  readonly route?: string
  /** The error, if a handler failed, and the route that threw it. */
  readonly failure?: { readonly route?: string; readonly error: string }
  readonly said: readonly Said[]
  /** Milliseconds of real time, until all that it caused had settled. */
  readonly ms: number
}

/** All that a bot said: to the deliveries, in their order, and besides. */
export interface Run {
  readonly played: readonly Played[]
  /** All that no recorded delivery caused: statuses of its sends, timers, sends of the app's own; by a name for the cause. */
  readonly apart: Readonly<Record<string, Played>>
  /** Hosts that the app was kept from calling, and how often it tried. */
  readonly refused: Readonly<Record<string, number>>
}

/** The same code, played twice. */
export type Runs = readonly [Run, Run]

/** The file that `backtest record` writes. */
export interface Recording {
  readonly switchhook: 1
  readonly kind: 'backtest'
  readonly recordedAt: string
  readonly world: WorldOptions
  readonly deliveries: readonly Recorded[]
  readonly runs: Runs
}

/** @throws SwitchhookError `options_invalid` */
export function readRecording(text: string, file: string): Recording {
  const recording = parseJson(text) as Partial<Recording> | undefined
  if (recording?.switchhook === 1 && recording.kind === 'backtest') return recording as Recording
  throw optionsInvalid(`${file} is no recording of this release: \`switchhook backtest record\` writes them`)
}
