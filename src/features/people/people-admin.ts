import type { AdminPart } from '../../admin/part.ts'
import type { ViewDeps } from '../../admin/query.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import { iso } from '../../view/delivery-view.ts'

export const adminPart = {
  async health({ desk: { store, clock } }: ViewDeps) {
    return { takenOver: await store.countTakenByPerson(clock.service()) }
  },
  async ofCustomer({ number, customer }: CustomerOfNumber, { desk: { store, clock } }: ViewDeps) {
    const { silence } = await store.customerOf(number, customer, clock.service())
    return {
      ...(silence && { takenOver: { by: silence.by, since: iso(silence.since), until: iso(silence.until) } }),
    }
  },
} satisfies AdminPart
