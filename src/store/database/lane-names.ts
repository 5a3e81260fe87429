import type { CustomerOfNumber } from './customer-tables.ts'

export function customerLane({ number, customer }: CustomerOfNumber): string {
  return `${number}/${customer}`
}

/** Returns the number and the customer of a lane. */
export function customerOfLane(lane: string): readonly [string, string] {
  const at = lane.indexOf('/')
  return [lane.slice(0, at), lane.slice(at + 1)]
}

/** The lane of events about messages that the number sent to a customer. */
export function sentEventLane(lane: string): string {
  return `${lane}/sent`
}

export function statusLane(lane: string): string {
  return `${lane}/status`
}

export function itemLanes(who: CustomerOfNumber): readonly string[] {
  const lane = customerLane(who)
  return [lane, statusLane(lane), sentEventLane(lane)]
}

/** Returns the number of a lane. A lane begins with the name of its number, which contains no slash. */
export function numberOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/** The customers of a lane: one, or none if its items have no customer. */
export function customersIn(lane: string): readonly string[] {
  const [number = '', customer = ''] = lane.split('/', 2)
  return customer === '' ? [] : [`${number}/${customer}`]
}
