import { useEffect } from 'preact/hooks'
import { ShownOnce } from '../components/copy.tsx'
import { Check, Field } from '../components/fields.tsx'
import { attempt } from '../components/messages.ts'
import { customers, USUAL_HANDSET } from '../state/customers.ts'
import { openCustomer } from '../state/open-customer.ts'
import { customer } from '../state/view.ts'
import { account, reloadSoon } from '../state/world.ts'
import { change } from '../wire/control.ts'
import type { Handset } from '../wire/types.ts'
import { changeAccount, newToken, Numbers } from './numbers.tsx'

export function AccountNote() {
  const it = account.value
  if (it?.suspended) return <b class="bad">suspended</b>
  if (it && !it.plan.api) return <b class="bad">plan without the API</b>
  if (it && it.numbers.length > 1) return <>{it.numbers.length} numbers</>
  return null
}

/** The business's account, and the handset of the open customer. */
export function AccountPart() {
  // Contacts are counted by what happens on phones, which nobody tells of the account.
  const talkedTo = customers.value.filter(({ last }) => last !== null).length
  useEffect(() => reloadSoon('account'), [talkedTo])
  const it = account.value
  if (it === undefined) return <p class="hint">Not read yet.</p>
  const { plan, suspended, contacts, numbers } = it
  return (
    <>
      <HandsetSwitches />
      <h4>Account</h4>
      <Check
        label="The plan has the API"
        hint="Without: 402 plan_feature_locked on every call."
        on={plan.api}
        set={(api) => changeAccount({ plan: { api } })}
      />
      <Check
        label="Suspended"
        hint="403 account_suspended on every call."
        on={suspended}
        set={(on) => changeAccount({ suspended: on })}
      />
      <Check
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
          put={() => (newToken.value = undefined)}
        />
      )}
      <Numbers numbers={numbers} />
    </>
  )
}

/** The open customer's handset. */
export function HandsetSwitches() {
  const digits = customer.value
  const handset = openCustomer.value?.handset ?? USUAL_HANDSET
  const set = (what: Partial<Handset>) => attempt(() => change('PUT', `customers/${digits}/handset`, what))
  return (
    <>
      <h4>Handset of {digits}</h4>
      <Check
        label="Online"
        hint="Offline: messages stay sent, and arrive when it is back."
        on={handset.online}
        set={(online) => set({ online })}
      />
      <Check
        label="Read receipts"
        hint="Without: nobody hears that a message was read."
        on={handset.receipts}
        set={(receipts) => set({ receipts })}
      />
      <Check
        label="Blocks the business"
        hint="Messages are accepted and never delivered."
        on={handset.blocked}
        set={(blocked) => set({ blocked })}
      />
    </>
  )
}
