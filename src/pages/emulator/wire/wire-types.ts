import type { JsonSchema } from './form-schema.ts'
import type { Happening } from '../../../emulator/timeline.ts'
/** What the control API answers, by the emulator's own types. */
import type { TemplateOut } from '../../../service/answers.ts'
import type { DeliveryView } from '../../../emulator/deliver/delivery.ts'
import type { SignatureView } from '../../../emulator/deliver/request.ts'
import type { FlattenedInteractive, TappedOption, ThreadItem } from '../../../emulator/model/thread.ts'

export type { CallView as Call } from '../../../emulator/service/api.ts'
export type { AccountView as Account } from '../../../emulator/control/account-control.ts'
export type { AgentView as Agent } from '../../../emulator/control/customers-control.ts'
export type { ClockView as Clock } from '../../../emulator/control/operations.ts'
export type { CustomerView as Customer } from '../../../emulator/control/customers-control.ts'
export type { FaultsView as Faults } from '../../../emulator/control/operations.ts'
export type { SubscriptionView as Subscription } from '../../../emulator/deliver/subscriptions.ts'
export type { AttemptOutcome, AttemptView as Attempt, DeliveryView } from '../../../emulator/deliver/delivery.ts'
export type { Assumptions } from '../../../emulator/model/assumptions.ts'
export type { FaultRule } from '../../../emulator/model/faults.ts'
export type { Handset } from '../../../emulator/model/phones.ts'
export type {
  ShownCode,
  TappedOption,
  ThreadItem,
  ThreadMedia as Media,
  ThreadTemplate as Template,
} from '../../../emulator/model/thread.ts'
export type { FlattenedInteractive as Interactive, SignatureView as Signature }

/** A template in the list. The contract does not say what its components are: the page reads only their texts. */
export type ListedTemplate = Pick<
  TemplateOut,
  'id' | 'name' | 'language' | 'category' | 'status' | 'sendable' | 'unsendable_reason'
> & { readonly components: readonly { readonly type: string; readonly text?: string }[] }

export interface Form {
  readonly method: string
  readonly path: string
  readonly schema: JsonSchema
}

export type Delivery = DeliveryView & { readonly signatures: readonly SignatureView[] }

export function tappedOption({ interactive }: ThreadItem): TappedOption | undefined {
  return interactive && 'id' in interactive ? interactive : undefined
}

export function offeredOptions({ interactive }: ThreadItem): FlattenedInteractive | undefined {
  return interactive && 'body' in interactive ? interactive : undefined
}

export type { DeliveryChange, Happening } from '../../../emulator/timeline.ts'

/** The happenings after the id `last`. A stream that connects again may repeat earlier ones. */
export function newHappenings(received: readonly Happening[], last: string): readonly Happening[] {
  let latest = last
  return received.filter(({ id }) => {
    if (!isAfter(id, latest)) return false
    latest = id
    return true
  })
}

/** An id consists of a mark of the emulator's run, and a count. */
function isAfter(id: string, last: string): boolean {
  const [mark, count] = id.split('-')
  const [lastMark, lastCount] = last.split('-')
  return mark !== lastMark || Number(count) > Number(lastCount)
}
