import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import type { Backend, Place } from '../backend.ts'
import { accepting } from './accept.ts'
import { retrying } from './retry.ts'
import { announcements } from './announcements.ts'
import { conversations } from './conversations.ts'
import { throttles } from './throttles.ts'
import { burstEnds } from './burst-ends.ts'
import { bursts } from './bursts.ts'
import { codes } from './codes.ts'
import { fairClaims } from './fair-claims.ts'
import { fences } from './fences.ts'
import { forgetting } from './forget.ts'
import { forgottenWork } from './forgotten-work.ts'
import { overviews } from './overview.ts'
import { heldBack } from './held-back.ts'
import { histories } from './history.ts'
import { inboxAdmin } from './inbox-admin.ts'
import { itemModel } from './item-model.ts'
import { keptOf } from './kept-of.ts'
import { lanes } from './lanes.ts'
import { outbox } from './outbox.ts'
import { outboxAdmin } from './outbox-admin.ts'
import { parts } from './parts.ts'
import { payloads } from './payloads.ts'
import { pruning } from './prune.ts'
import { beginItem } from './begin-item.ts'
import { beginSend } from './begin-send.ts'
import { scheduling } from './schedule.ts'
import { sendLanes } from './send-lanes.ts'
import { traces } from './traces.ts'
import { timerModel } from './timer-model.ts'
import { timers } from './timers.ts'
import { newerSchema } from './newer-schema.ts'
import { otherBuilds } from './other-builds.ts'
import { sessions } from './sessions.ts'
import { optOuts } from './opt-outs.ts'
import { sameCustomer } from './same-customer.ts'
import { people } from './people.ts'
import { takeovers } from './takeovers.ts'
import { ingesting } from './ingest.ts'
import { statuses } from './statuses.ts'
import { lifecycle } from './lifecycle.ts'
import { watching } from './watching.ts'

/** The stage of one test: an empty place, and a store opened there. */
export interface Stage {
  readonly place: Place
  readonly store: Store
}

/** Tests the promises of the port on one kind of store. */
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
    describe('ingests', () => ingesting(at))
    describe('an item that begins when its delivery is stored', () => beginItem(at))
    describe('lanes of items', () => lanes(at))
    describe('claims of several numbers', () => fairClaims(at))
    describe('bursts', () => bursts(at))
    describe('bursts that end', () => burstEnds(at))
    describe('fences and leases', () => fences(at))
    describe('the outbox', () => outbox(at))
    describe('the outbox as a person sees it', () => outboxAdmin(at))
    describe('a send that begins when it is recorded', () => beginSend(at))
    describe('lanes of sends', () => sendLanes(at))
    describe('throttles', () => throttles(at))
    describe('traces', () => traces(at))
    describe('scheduled sends', () => scheduling(at))
    describe('messages in parts, and moves', () => parts(at))
    describe('one-time codes', () => codes(at))
    describe('takeovers', () => takeovers(at))
    describe('the queue of people', () => people(at))
    describe('opt-outs', () => optOuts(at))
    describe('one customer with several spellings of a number', () => sameCustomer(at))
    describe('an announcement', () => announcements(at))
    describe('statuses', () => statuses(at))
    describe('wakes, counts and closes', () => lifecycle(at))
    describe('pruning', () => pruning(at))
    describe('forgets a customer', () => forgetting(at))
    describe('the work of a forgotten customer', () => forgottenWork(at))
    describe('a history', () => histories(at))
    describe('a record', () => keptOf(at))
    describe('unread deliveries of several numbers', () => heldBack(at))
    describe('retries and reingests', () => retrying(at))
    describe('the inbox as a person sees it', () => inboxAdmin(at))
    describe('a person who looks on', () => overviews(at))
    describe('what waits for a person, and the last days', () => watching(at))
    describe('what payloads look like', () => payloads(at))
    describe('sessions and secrets', () => sessions(at))
    describe('a conversation', () => conversations(at))
    describe('a timer', () => timers(at))
    describe('over the tables of another build', () => otherBuilds(at))
    describe('under the schema of a newer release', () => newerSchema(at))
    describe('any order of events, items', () => itemModel(backend))
    describe('any order of events, timers', () => timerModel(backend))
  })
}
