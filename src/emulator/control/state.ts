import type { HttpRequest } from '../http/messages.ts'
import { type Snapshot, snapshotSchema } from '../snapshot.ts'
import { snapshotOf } from '../take-snapshot.ts'
import type { State } from '../state.ts'
import { showClock, type ClockView } from './clock.ts'
import { readControl } from './request.ts'

/** Begins anew, or goes on from a snapshot; answers the state that then holds. */
export type Renew = (snapshot?: Snapshot) => State

/** A snapshot holds tokens and signing secrets, and no one-time code. */
export function takeSnapshot(state: State): Snapshot {
  return snapshotOf(state)
}

export function restoreSnapshot(renew: Renew, request: HttpRequest): ClockView {
  return showClock(renew(readControl(request, snapshotSchema)))
}

export function resetState(renew: Renew): ClockView {
  return showClock(renew())
}
