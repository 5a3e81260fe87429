import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../../../src/stores/port/index.ts'
import type { Backend, Place } from '../backend.ts'
import { accepting } from './accept.ts'
import { again } from './again.ts'
import { attempts } from './attempts.ts'
import { clocks } from './clocks.ts'
import { closedQueues } from './throttles.ts'
import { codes } from './codes.ts'
import { fences } from './fences.ts'
import { inboxAdmin } from './inbox-admin.ts'
import { itemModel } from './item-model.ts'
import { lanes } from './lanes.ts'
import { misnamed } from './event-name-spoofing.ts'
import { outbox } from './outbox.ts'
import { outboxAdmin } from './outbox-admin.ts'
import { pruning } from './prune.ts'
import { reopening } from './reopen.ts'
import { scheduling } from './schedule.ts'
import { sendLanes } from './send-lanes.ts'
import { sendModel } from './send-model.ts'
import { sessions } from './sessions.ts'
import { silences } from './mutes.ts'
import { sorting } from './ingest.ts'
import { statuses } from './statuses.ts'
import { upkeep } from './maintenance.ts'

/** Where one test of the suite is: an empty place, and a store opened there. */
export interface Stage {
  readonly place: Place
  readonly store: Store
}

/** What every store promises, tried on one kind of store. */
export function describeStore(backend: Backend): void {
  describe(`a store (${backend.name})`, () => {
    let place: Place
    let store: Store
    beforeEach(async () => {
      place = await backend.place()
      store = await place.open()
    })
    afterEach(() => place.remove())
    const at: Stage = {
      get place() {
        return place
      },
      get store() {
        return store
      },
    }

    describe('accepts', () => accepting(at))
    describe('misnamed copies', () => misnamed(at))
    describe('sorts', () => sorting(at))
    describe('lanes of items', () => lanes(at))
    describe('attempts', () => attempts(at))
    describe('fences and leases', () => fences(at))
    describe('the outbox', () => outbox(at))
    describe('the outbox, by hand', () => outboxAdmin(at))
    describe('lanes of sends', () => sendLanes(at))
    describe('sends opened again', () => reopening(at))
    describe('closed queues', () => closedQueues(at))
    describe('scheduled sends', () => scheduling(at))
    describe('one-time codes', () => codes(at))
    describe('silences', () => silences(at))
    describe('statuses', () => statuses(at))
    describe('clocks', () => clocks(at))
    describe('upkeep', () => upkeep(at))
    describe('pruning', () => pruning(at))
    describe('once more', () => again(at))
    describe('the inbox, by hand', () => inboxAdmin(at))
    describe('sessions and secrets', () => sessions(at))
    describe('any order of events, items', () => itemModel(backend))
    describe('any order of events, sends', () => sendModel(backend))
  })
}
