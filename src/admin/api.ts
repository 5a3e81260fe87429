import type * as builtIn from '../built-in/recorded-acts.ts'
import type { ActName } from './requests.ts'
import type { search } from './search.ts'
import type { customerName } from './query.ts'
import type { showCustomer } from './views/customers-view.ts'
import type { deliverySummary, showDelivery } from './views/deliveries-view.ts'
import type { readHealth } from './views/health-view.ts'
import type { sendSummary, showSend } from './views/sends-view.ts'
import type { readTrend } from './views/trend-view.ts'

// What the server of the admin page answers. Times are ISO 8601 unless a comment says otherwise. Customers, texts, names
// and ids that may contain a phone number are masked unless a view was revealed. JSON leaves out undefined members.

type ActNameOfPages = (typeof builtIn)[keyof typeof builtIn][number]
type Answer<View extends (...given: never[]) => unknown> = Awaited<ReturnType<View>>

export type DeliverySummary = Answer<typeof deliverySummary>
export type DeliveryView = Answer<typeof showDelivery>
export type ItemView = DeliveryView['items'][number]
export type SendSummary = Answer<typeof sendSummary>
export type SendView = Answer<typeof showSend>
export type CustomerName = Answer<typeof customerName>
export type CustomerView = Answer<typeof showCustomer>
export type TrendView = Answer<typeof readTrend>
export type Health = Answer<typeof readHealth>['health']
export type ThrottleView = Health['throttled'][number]
export type Found = Answer<typeof search>

export interface Me {
  readonly who: string
  readonly readOnly: boolean
  readonly reveal: boolean
  readonly announce: boolean
  /** May retry deliveries, and settle, cancel and resume sends. */
  readonly retry: boolean
  readonly everyNumber: boolean
  /** Empty if the numbers come from a source of the app. */
  readonly numbers: readonly string[]
}

export interface State {
  readonly me: Me
  readonly health: Health
  readonly mark: string
  /** The address of the desk. */
  readonly desk?: string | undefined
}

export interface ActRecord {
  readonly seq: number
  readonly at?: string | undefined
  readonly who: string
  readonly act: ActName | ActNameOfPages | 'reveal' | 'search' | 'export' | 'read' | 'upload'
  readonly what: string
  /** How many rows it changed. Absent if its process ended before that was recorded. */
  readonly count?: number | undefined
}
