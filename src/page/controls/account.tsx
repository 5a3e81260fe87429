import { useEffect } from 'preact/hooks'
import { ShownOnce } from '../../ui/components/copy.tsx'
import { Checkbox, Field } from '../../ui/components/fields.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { customers, DEFAULT_HANDSET } from '../state/customers.ts'
import { selectedCustomer } from '../state/selected-customer.ts'
import { account, reloadSoon } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { change } from '../wire/control.ts'
import type { Handset } from '../wire/types.ts'
import { changeAccount, newToken, Numbers } from './numbers.tsx'

/** Says beside the section's title if the account is unusual. */
export function AccountNote() {
  const current = account.value
  if (current?.suspended) return <b class="bad">suspended</b>
  if (current && !current.plan.api) return <b class="bad">plan without the API</b>
  if (current && current.numbers.length > 1) return <>{current.numbers.length} numbers</>
  return null
}

/** The settings of the business's account and of the selected customer's handset. */
export function AccountSection() {
  // A new conversation may be a new contact, which the stream does not report.
  const conversationCount = customers.value.filter(({ last }) => last !== null).length
  useEffect(() => reloadSoon('account'), [conversationCount])
  const current = account.value
  if (current === undefined) return <p class="hint">Not read yet.</p>
  const { plan, suspended, contacts, numbers } = current
  return (
    <>
      <HandsetSwitches />
      <h4>Account</h4>
      <Checkbox
        label="The plan has the API"
        hint="Without: 402 plan_feature_locked on every call."
        on={plan.api}
        set={(api) => changeAccount({ plan: { api } })}
      />
      <Checkbox
        label="Suspended"
        hint="403 account_suspended on every call."
        on={suspended}
        set={(on) => changeAccount({ suspended: on })}
      />
      <Checkbox
        label="Callback override"
        hint="The raw feed goes elsewhere: no event comes to your app."
        on={numbers.some(({ callbackOverride }) => callbackOverride)}
        set={(callbackOverride) => changeAccount({ callbackOverride })}
      />
      <Field
        label="Contacts at most"
        kind="number"
        placeholder="no limit"
        value={plan.contactLimit === null ? '' : String(plan.contactLimit)}
        set={(text) => changeAccount({ plan: { contactLimit: text === '' ? null : Number(text) } })}
        hint={`${contacts} so far; one more than the limit is 402 plan_limit_reached.`}
      />
      {newToken.value !== undefined && (
        <ShownOnce
          what="The new access token"
          value={newToken.value}
          next="Set SWITCHHOOK_ACCESS_TOKEN to it, and start your app again. The old one is 401 from now on."
          onDone={() => (newToken.value = undefined)}
        />
      )}
      <Numbers numbers={numbers} />
    </>
  )
}

function HandsetSwitches() {
  const digits = customer.value
  const handset = selectedCustomer.value?.handset ?? DEFAULT_HANDSET
  const set = (what: Partial<Handset>) => runAction(() => change('PUT', `customers/${digits}/handset`, what))
  return (
    <>
      <h4>Handset of {digits}</h4>
      <Checkbox
        label="Online"
        hint="Offline: messages stay sent, and arrive when it is back."
        on={handset.online}
        set={(online) => set({ online })}
      />
      <Checkbox
        label="Read receipts"
        hint="Without: nobody hears that a message was read."
        on={handset.receipts}
        set={(receipts) => set({ receipts })}
      />
      <Checkbox
        label="Blocks the business"
        hint="Messages are accepted and never delivered."
        on={handset.blocked}
        set={(blocked) => set({ blocked })}
      />
    </>
  )
}
