import { z } from 'zod'
import { refuse } from '../http/messages.ts'
import { type FaultRule, faultRuleSchema } from '../model/faults.ts'
import type { State } from '../world.ts'
import { change, get } from './request.ts'

export type FaultsView = { readonly rules: readonly FaultRule[] }

function showFaults({ faults }: State): FaultsView {
  return { rules: faults.list() }
}

export const SEND_OPERATIONS = {
  showCall: get(
    'calls/:id',
    'One call of the API as sent, with its token masked. The latest 5,000 are kept.',
    ({ calls }, id) => {
      const call = calls.byId(id)
      if (call) return call
      throw refuse(
        404,
        'not_found',
        `The call ${id} does not exist. The latest are kept until a reset or the end of the run.`,
      )
    },
  ),
  showFaults: get('faults', 'The armed faults.', showFaults),
  changeFaults: change(
    'PUT',
    'faults',
    'Arms these faults and disarms all others. An empty list disarms all.',
    z.strictObject({ rules: z.array(faultRuleSchema) }),
    (state, { rules }) => {
      state.faults.set(rules)
      return showFaults(state)
    },
  ),
  listKeys: get('keys', 'The idempotency keys that the service remembers.', ({ keys }) => ({ items: keys.list() })),
}
