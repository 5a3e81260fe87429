import type * as builtIn from '../built-in/recorded-acts.ts'
import type { ActName } from './requests.ts'
import type { search } from './search.ts'
import type { customerName } from './query.ts'
import type { showCustomer } from './views/customers-view.ts'
import type { deliverySummary, showDelivery } from './views/deliveries-view.ts'
import type { readHealth } from './views/health-view.ts'
import type { sendSummary, showSend } from './views/sends-view.ts'
import type { readTrend } from './views/trend-view.ts'

// The answers of the admin page's server. Times are ISO 8601. Phone numbers, names and texts are masked, unless the
// view was revealed. JSON leaves out undefined members.

type ActNameOfPages = (typeof builtIn)[keyof typeof builtIn][number]
type ResultOf<View extends (...given: never[]) => unknown> = Awaited<ReturnType<View>>

export type DeliverySummary = ResultOf<typeof deliverySummary>
export type DeliveryView = ResultOf<typeof showDelivery>
export type ItemView = DeliveryView['items'][number]
export type SendSummary = ResultOf<typeof sendSummary>
export type SendView = ResultOf<typeof showSend>
export type CustomerName = ResultOf<typeof customerName>
export type CustomerView = ResultOf<typeof showCustomer>
export type TrendView = ResultOf<typeof readTrend>
export type Health = ResultOf<typeof readHealth>['health']
export type ThrottleView = Health['throttled'][number]
export type Found = ResultOf<typeof search>

export interface Me {
  readonly who: string
  readonly readOnly: boolean
  readonly reveal: boolean
  readonly announce: boolean
  /** May retry deliveries, and settle, cancel and resume sends. */
  readonly retry: boolean
  readonly everyNumber: boolean
  /** The numbers that the person may see. Empty if they may see all, and the app's options list no numbers. */
  readonly numbers: readonly string[]
}

export interface State {
  readonly me: Me
  readonly health: Health
  /** If it differs from the mark of the last answer, the page reads its views again. */
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
  /** How many rows the act changed or showed. Absent if the process ended before it recorded the count. */
  readonly count?: number | undefined
}
