/** The globals of the docs' fragments: an app with a bot, and some of the app's own functions. */
import type expressOf from 'express'
import type { createBot, MediaFact, oneTimeCode as makeOneTimeCode, Sender, template as makeTemplate } from 'switchhook'
import type { health as healthOf, webhook as webhookOf } from 'switchhook/express'

interface Order {
  readonly id: string
  readonly state: string
}

type Made = ReturnType<typeof createBot<never>>

declare global {
  var bot: Made
  var sender: Sender
  var app: expressOf.Express
  var express: typeof expressOf
  var webhook: typeof webhookOf
  var health: typeof healthOf
  var template: typeof makeTemplate
  var oneTimeCode: typeof makeOneTimeCode
  var phone: string
  var code: string
  var attemptId: string
  var media: MediaFact
  var markDelivered: (order: string | undefined) => Promise<void>
  var markFailed: (order: string | undefined, why: string) => Promise<void>
  var orders: {
    of(customer: string): Promise<Order[]>
    find(id: string): Promise<Order | 'no such order' | 'being imported'>
    stateOf(id: string): Promise<string>
    markTold(id: string): Promise<void>
  }
  var calendar: {
    free(day: string): Promise<{ id: string; title: string }[]>
    book(customer: string, day: string, time: string): Promise<void>
  }
  var tenants: { byName(name: string): Promise<{ token: string; secrets: string[] } | undefined> }
  var billing: { createInvoice(customer: string): Promise<{ amount: string; account: string }> }
  var files: { save(name: string, bytes: Uint8Array): Promise<void> }
  var staffOf: (request: unknown) => { name: string; isOperator: boolean } | undefined
  /** The people who have signed in, by the id in the cookie. */
  var sessions: Map<string, string>
  var metrics: { count(what: string, why: string | undefined): void }
}
