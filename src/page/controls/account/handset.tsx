import { attempt } from '../../state/notice.ts'
import { openCustomer } from '../../state/open-customer.ts'
import { USUAL_HANDSET } from '../../state/threads.ts'
import { customer } from '../../state/view.ts'
import { change } from '../../wire/control.ts'
import type { Handset } from '../../wire/types.ts'
import { Check } from '../fields.tsx'

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
